//! A virtual machine under QEMU.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How long the kernel may take to find out that it has no disk. It takes three seconds.
const PROBE: Duration = Duration::from_secs(20);

/// A machine without a network. Debian's kernel for clouds has `NVMe` and ext4 built in, so it
/// needs neither boot loader nor first file system.
pub(super) struct Machine {
    kernel: PathBuf,
    accelerator: &'static str,
    /// How long it may say nothing.
    silence: Duration,
}

/// A disk, from the image in a file.
pub(super) struct Disk<'a> {
    pub(super) image: &'a Path,
    /// Whether the file keeps what is written.
    pub(super) is_kept: bool,
}

impl Machine {
    pub(super) fn new(kernel: &Path, silence: Duration) -> Result<Self, String> {
        Ok(Self {
            kernel: kernel.to_owned(),
            accelerator: accelerator(kernel)?,
            silence,
        })
    }

    /// Runs the machine until it is switched off. The first disk is its system. `parameters`
    /// go to the kernel, whose messages come into the file `console`; what the machine writes
    /// to its second serial line goes to `hear`, line by line.
    pub(super) fn run(
        &self,
        disks: &[Disk],
        parameters: &str,
        console: &Path,
        mut hear: impl FnMut(&str),
    ) -> Result<(), String> {
        let parameters = format!("console=ttyS0 root=/dev/nvme0n1 {parameters}");
        let mut command = qemu(self.accelerator, &self.kernel, &parameters);
        for (number, disk) in disks.iter().enumerate() {
            let image = disk.image.display();
            let keeping = if disk.is_kept { "off" } else { "on" };
            let drive = "if=none,format=raw,discard=unmap,cache=unsafe";
            command.arg("-drive");
            command.arg(format!(
                "{drive},id=disk{number},snapshot={keeping},file={image}"
            ));
            command.arg("-device");
            command.arg(format!("nvme,drive=disk{number},serial=disk{number}"));
        }
        command
            .arg("-serial")
            .arg(format!("file:{}", console.display()));
        command.args(["-serial", "stdio"]);
        let mut process = Process::start(&mut command)?;
        let output = process.0.stdout.take();
        let lines = lines(output.ok_or("QEMU has no output")?);
        loop {
            match lines.recv_timeout(self.silence) {
                Ok(line) => hear(line.trim_end_matches('\r')),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let minutes = self.silence.as_secs() / 60;
                    return Err(format!(
                        "the machine has said nothing for {minutes} minutes; see {}",
                        console.display()
                    ));
                }
            }
        }
        process.wait()
    }
}

/// The machine without its disks.
fn qemu(accelerator: &str, kernel: &Path, parameters: &str) -> Command {
    let mut qemu = Command::new("qemu-system-x86_64");
    qemu.args(["-accel", accelerator, "-cpu", "max", "-m", "2048"]);
    qemu.args(["-nodefaults", "-display", "none"]);
    qemu.arg("-kernel").arg(kernel);
    qemu.args(["-append", parameters]);
    qemu
}

/// The lines of an output, as they come.
fn lines(output: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(output).split(b'\n');
        while let Some(Ok(line)) = lines.next() {
            let line = String::from_utf8_lossy(&line).into_owned();
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// KVM if it works here, otherwise QEMU's own translation of the machine's code. On some hosts
/// `/dev/kvm` exists, and a machine hangs: so a kernel without a disk has to give up first.
fn accelerator(kernel: &Path) -> Result<&'static str, String> {
    if !Path::new("/dev/kvm").exists() {
        println!("xtask: there is no /dev/kvm here, so the machine is emulated");
        return Ok("tcg");
    }
    let mut probe = qemu("kvm", kernel, "panic=-1");
    probe.arg("-no-reboot").stderr(Stdio::null());
    let mut process = Process::start(&mut probe)?;
    if process.succeeds_within(PROBE)? {
        println!("xtask: the machine runs on /dev/kvm");
        return Ok("kvm");
    }
    println!("xtask: /dev/kvm doesn't work here, so the machine is emulated");
    Ok("tcg")
}

/// A process that ends with its owner.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = command.spawn();
        let child = child.map_err(|error| format!("QEMU cannot be started: {error}"))?;
        Ok(Self(child))
    }

    fn wait(&mut self) -> Result<(), String> {
        let status = self.0.wait().map_err(|error| format!("QEMU: {error}"))?;
        if status.success() {
            return Ok(());
        }
        Err(format!("QEMU has ended with {status}"))
    }

    fn succeeds_within(&mut self, time: Duration) -> Result<bool, String> {
        let start = Instant::now();
        while start.elapsed() < time {
            let status = self.0.try_wait();
            if let Some(status) = status.map_err(|error| format!("QEMU: {error}"))? {
                return Ok(status.success());
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(false)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended, or isn't wanted any more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
