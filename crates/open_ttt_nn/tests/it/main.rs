//! Networks: what they compute, and their files.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod answers;
mod files;
mod hostile_files;
mod kernels;
mod randomized;
mod reference;
