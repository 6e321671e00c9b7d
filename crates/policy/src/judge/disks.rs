//! Programs that write on disks below the file system.

use super::{Look, Walker};
use crate::options::Grammar;
use crate::walk::state::State;

/// Programs that make or destroy file systems, partitions and volumes.
const MAKERS: &[&str] = &[
    "mkswap",
    "mke2fs",
    "newfs",
    "cfdisk",
    "cgdisk",
    "gparted",
    "blkdiscard",
    "pvcreate",
    "pvremove",
    "vgcreate",
    "vgremove",
    "lvcreate",
    "lvremove",
    "lvreduce",
    "vgreduce",
    "mkntfs",
    "mkdosfs",
    "mkexfatfs",
    "resize2fs",
    "xfs_growfs",
    "partprobe",
    "format",
    "diskpart",
    "fdformat",
    "clear-disk",
    "format-volume",
    "initialize-disk",
    "mkudffs",
    "mkreiserfs",
];

const DESTROY: &[&str] = &["destroy", "labelclear", "create", "replace", "rollback"];

/// How the files end that hold a whole disk.
const IMAGES: &[&str] = &[".img", ".raw", ".iso", ".dmg", ".qcow2", ".vmdk", ".vdi", ".vhd", ".vhdx", ".hdd"];

impl Walker<'_> {
    /// File systems, partitions and raw devices.
    pub(super) fn disk(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.clone();
        if name.starts_with("mkfs") || name.starts_with("newfs") || MAKERS.contains(&name.as_str()) {
            self.deny("filesystem", format!("`{name}` writes file systems or partitions"));
            return true;
        }
        let has = |wanted: &[&str]| look.args.iter().skip(1).any(|arg| wanted.contains(&arg.text.as_str()));
        let reads = match name.as_str() {
            "fdisk" => {
                has(&["-l", "--list", "-s", "--getsz", "-v", "--version", "-x", "--list-details", "--help"])
                    || has_bundle(look, 'l')
            }
            "sfdisk" => has(&[
                "-l",
                "--list",
                "-d",
                "--dump",
                "-J",
                "--json",
                "-s",
                "--show-size",
                "-V",
                "--verify",
                "-F",
                "--list-free",
            ]),
            "gdisk" => has(&["-l"]),
            "sgdisk" => {
                has(&["-p", "--print", "-i", "--info", "-v", "--verify"]) && !has(&["-Z", "-o", "-z", "-n", "-d"])
            }
            "parted" => {
                has(&["-l", "--list", "print"]) && !has(&["mklabel", "mkpart", "rm", "resizepart", "set", "mktable"])
            }
            "wipefs" => has(&["-n", "--no-act"]),
            "cryptsetup" => {
                !has(&["luksFormat", "luksErase", "erase", "reencrypt", "luksKillSlot", "luksAddKey", "luksRemoveKey"])
            }
            "mdadm" => has(&["--detail", "-D", "--examine", "-E", "--query", "-Q"]),
            "nvme" => !has(&["format", "sanitize", "write-zeroes", "delete-ns", "create-ns", "fw-download"]),
            "hdparm" => !look.args.iter().any(|arg| {
                let text = arg.text.as_str();
                text.starts_with("--security")
                    || text.starts_with("--trim")
                    || text.starts_with("--write")
                    || text.starts_with("--make-bad")
                    || text == "-Y"
                    || text == "-y"
            }),
            "badblocks" => !look.parse(&Grammar::new("bcdeiopt", &[])).has_short("wn"),
            "zpool" | "zfs" => !look.args.get(1).is_some_and(|arg| DESTROY.contains(&arg.text.as_str())),
            "asr" => !look.text(1).trim_start_matches('-').starts_with("restore"),
            "btrfs" => !has(&["delete", "remove", "replace"]),
            "diskutil" => {
                let verb = look.text(1).to_lowercase();
                !(verb.starts_with("erase")
                    || verb.starts_with("secureerase")
                    || verb.starts_with("partition")
                    || verb.starts_with("zero")
                    || verb.starts_with("random")
                    || verb.starts_with("reformat")
                    || verb.starts_with("split")
                    || verb.starts_with("merge")
                    || verb.starts_with("resize")
                    || matches!(verb.as_str(), "apfs" | "cs" | "corestorage" | "appleraid" | "ar"))
                    || look.text(2).starts_with("list")
            }
            "dd" | "dcfldd" | "dc3dd" | "gdd" => {
                self.dd(look, state);
                return true;
            }
            "ddrescue" | "dd_rescue" => {
                let parsed = look.parse(&Grammar::new("abcdefimnorstxBEKLMNSTXZ", &[]));
                for at in parsed.operands.iter().skip(1) {
                    let target = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_aside(look, &target, state);
                }
                return true;
            }
            "mount" | "umount" | "swapon" | "swapoff" | "losetup" | "fsck" | "e2fsck" | "xfs_repair" | "tune2fs"
            | "hdiutil" | "udisksctl" | "debugfs" | "xfs_admin" | "xfs_db" | "e2label" | "fatlabel" | "dmsetup"
            | "kpartx" | "zramctl" | "fstrim" => {
                if look.args.len() > 1 {
                    self.ask("mounts", format!("`{name}` changes what is mounted or how"));
                }
                return true;
            }
            _ => return false,
        };
        if reads {
            self.ask("filesystem", format!("`{name}` reads or changes disks below the file system"));
        } else {
            self.deny("filesystem", format!("`{name}` writes file systems or partitions"));
        }
        true
    }

    fn dd(&mut self, look: &mut Look, state: &State) {
        let input = look.args.iter().find_map(|arg| arg.text.strip_prefix("if=").map(str::to_owned));
        let Some(at) = look.args.iter().position(|arg| arg.text.starts_with("of=")) else { return };
        let Some(arg) = look.args.get(at) else { return };
        let target = arg.tail(3);
        // Only from one file to another is it a copy like others; the image of a disk is a disk.
        let from_device = input.as_deref().is_none_or(|from| from.starts_with("/dev/"));
        let work = self.context.working_folder.clone().unwrap_or_default();
        let (path, is_anchored) = crate::path::resolve(&target.text, state.folder.as_deref(), self.context);
        let is_inside = is_anchored && path.starts_with(&format!("{}/", work.trim_end_matches('/')));
        let is_image = IMAGES.iter().any(|ending| path.to_ascii_lowercase().ends_with(ending));
        let is_sink = crate::path::device(&path) == crate::path::Device::Harmless;
        self.writes_aside(look, &target, state);
        if !is_sink && (from_device || is_image || !is_inside) {
            self.deny("dd of=", "`dd` would write over its target");
        } else if !is_sink {
            self.ask("dd of=", "`dd` writes over its target");
        }
    }
}

fn has_bundle(look: &Look, wanted: char) -> bool {
    look.args
        .iter()
        .skip(1)
        .any(|arg| arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(wanted))
}
