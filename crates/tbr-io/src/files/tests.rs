use super::*;
use std::io::Write;

#[test]
fn a_file_that_appears_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let mut output = Output::create_new(&path, false).unwrap();
    output.write_all(b"ours").unwrap();
    std::fs::write(&path, "theirs").unwrap();
    let failure = output.finish().unwrap_err();
    assert!(failure.words().0.contains("is there already"), "{failure:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "and nothing is left beside it");
    let mut output = Output::create_new(&path, true).unwrap();
    output.write_all(b"ours").unwrap();
    output.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"ours");
}

#[test]
fn an_output_that_is_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut output = Output::create(&folder.path().join("a.txt")).unwrap();
    output.write_all(&[0; 3 << 20]).unwrap();
    drop(output);
    let frames = FolderOutput::create(&folder.path().join("frames"), false, |_| true).unwrap();
    frames.file("1").unwrap();
    drop(frames);
    check_writable(&folder.path().join("b.txt")).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn a_lock_is_had_by_one_and_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tbr.json");
    let lock = Lock::of(&path).unwrap();
    let taken = Lock::of(&path).err().unwrap();
    assert!(taken.words().0.contains("another process"), "{taken:?}");
    drop(lock);
    drop(Lock::of(&path).unwrap());
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    // What a killed process leaves is taken over.
    std::fs::write(folder.path().join(".a.tbr.json.lock"), "").unwrap();
    drop(Lock::of(&path).unwrap());
}

#[test]
fn scratch_folders_are_private_and_go() {
    let folder = scratch_folder().unwrap();
    let path = folder.path().to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
    std::fs::write(path.join("film"), "frames").unwrap();
    drop(folder);
    assert!(!path.exists());
}
