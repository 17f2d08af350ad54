//! `tbr completions`.

use crate::failure::Failure;
use crate::files;
use clap::CommandFactory;
use clap_complete::Shell;

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
