//! `tbr completions`.

use clap::CommandFactory;
use clap_complete::Shell;
use tbr_io::Failure;
use tbr_io::files;

#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "tbr", &mut script);
    files::print(&String::from_utf8_lossy(&script))
}
