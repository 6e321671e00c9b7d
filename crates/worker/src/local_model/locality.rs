//! Which addresses are local, and a resolver that yields no other.
//!
//! The table lists what is allowed; an address that no row names is refused. A name is resolved for every connection
//! and the connection is made to the addresses that were checked, so a name that changes its mind leads nowhere.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use url::{Host, Url};

/// How far a worker may be away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// On this machine.
    #[default]
    ThisMachine,
    /// On this machine or in the private ranges of a local network.
    PrivateNetwork,
    /// Also in the shared range 100.64.0.0/10, which overlay networks between one's own machines use.
    OverlayNetwork,
}

/// Why an endpoint is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotLocal {
    /// An address of the world, or of a range that no row of the table names.
    #[error("its address is outside this machine and its network")]
    Outside,
    /// A local network's address, and the configuration allows this machine only.
    #[error("its address is in the local network, which the configuration does not allow")]
    NeedsPrivateNetwork,
    /// An overlay network's address, and the configuration does not allow it.
    #[error("its address is in the shared range 100.64.0.0/10, which the configuration does not allow")]
    NeedsOverlayNetwork,
    /// The place where clouds hand out credentials.
    #[error("its address is that of a cloud's metadata service")]
    Metadata,
    /// Link-local, unspecified, multicast, documentation, benchmark or reserved.
    #[error("its address is in a special range in which no worker can be")]
    Special,
    /// A form of the sixth version that carries an address of the fourth.
    #[error("its address wraps another address")]
    Wrapped,
    /// The name has no address.
    #[error("its name has no address")]
    NoAddress,
}

impl NotLocal {
    /// The rule in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Outside => "its address is outside this machine and its network",
            Self::NeedsPrivateNetwork => "its address is in the local network, which the configuration does not allow",
            Self::NeedsOverlayNetwork => {
                "its address is in the shared range 100.64.0.0/10, which the configuration does not allow"
            }
            Self::Metadata => "its address is that of a cloud's metadata service",
            Self::Special => "its address is in a special range in which no worker can be",
            Self::Wrapped => "its address wraps another address",
            Self::NoAddress => "its name has no address",
        }
    }
}

/// Metadata services that lie inside ranges that would be allowed.
const METADATA_V4: [Ipv4Addr; 1] = [Ipv4Addr::new(100, 100, 100, 200)];
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

impl Reach {
    /// Whether a worker at this address may be asked.
    ///
    /// # Errors
    /// The rule that the address breaks.
    pub fn check(self, address: IpAddr) -> Result<(), NotLocal> {
        match address {
            IpAddr::V4(four) => self.check_v4(four),
            IpAddr::V6(six) => self.check_v6(six),
        }
    }

    fn check_v4(self, address: Ipv4Addr) -> Result<(), NotLocal> {
        if METADATA_V4.contains(&address) || address.octets() == [169, 254, 169, 254] {
            return Err(NotLocal::Metadata);
        }
        match address.octets() {
            [127, ..] => Ok(()),
            [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => self.needs(Self::PrivateNetwork),
            [100, 64..=127, ..] => self.needs(Self::OverlayNetwork),
            [0 | 224..=255, ..]
            | [169, 254, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [198, 18..=19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _] => Err(NotLocal::Special),
            _ => Err(NotLocal::Outside),
        }
    }

    fn check_v6(self, address: Ipv6Addr) -> Result<(), NotLocal> {
        if METADATA_V6.contains(&address) {
            return Err(NotLocal::Metadata);
        }
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 1] => Ok(()),
            [0, 0, 0, 0, 0, 0, 0, 0] => Err(NotLocal::Special),
            // Mapped, compatible, translated (both prefixes), 6to4 and Teredo.
            [0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, ..] | [0x2002, ..] | [0x2001, 0, ..] => {
                Err(NotLocal::Wrapped)
            }
            [first, ..] if first & 0xfe00 == 0xfc00 => self.needs(Self::PrivateNetwork),
            // Link-local, the former site-local range, multicast, documentation, discard.
            [first, ..] if first & 0xff80 == 0xfe80 || first & 0xff00 == 0xff00 => Err(NotLocal::Special),
            [0x2001, 0xdb8, ..] | [0x3fff | 0x100, ..] => Err(NotLocal::Special),
            _ => Err(NotLocal::Outside),
        }
    }

    fn needs(self, reach: Self) -> Result<(), NotLocal> {
        match reach {
            _ if self >= reach => Ok(()),
            Self::OverlayNetwork => Err(NotLocal::NeedsOverlayNetwork),
            Self::PrivateNetwork | Self::ThisMachine => Err(NotLocal::NeedsPrivateNetwork),
        }
    }

    /// Every address of a name has to be allowed: one foreign address among local ones is a trap or a mistake.
    fn check_all(self, addresses: &[IpAddr]) -> Result<(), NotLocal> {
        if addresses.is_empty() {
            return Err(NotLocal::NoAddress);
        }
        addresses.iter().try_for_each(|address| self.check(*address))
    }

    /// Checks an address that stands in a link as a number; a name is checked at every connection.
    ///
    /// # Errors
    /// The rule that the address breaks.
    pub fn check_literal(self, url: &Url) -> Result<(), NotLocal> {
        match url.host() {
            Some(Host::Ipv4(four)) => self.check(IpAddr::V4(four)),
            Some(Host::Ipv6(six)) => self.check(IpAddr::V6(six)),
            Some(Host::Domain(_)) => Ok(()),
            None => Err(NotLocal::NoAddress),
        }
    }
}

/// Addresses that are on their way.
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Where the addresses of names come from.
pub trait Lookup: Send + Sync + fmt::Debug {
    /// Every address of a name.
    fn lookup(&self, name: String) -> LookupFuture;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: String) -> LookupFuture {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Resolves names for the client, and lets no address through that is not local.
#[derive(Debug, Clone)]
pub(crate) struct LocalNames {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) reach: Reach,
}

impl Resolve for LocalNames {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().trim_end_matches('.').to_ascii_lowercase();
        let reach = self.reach;
        // This name means this machine whatever a resolver says (RFC 6761).
        if name == "localhost" || name.ends_with(".localhost") {
            let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
            return Box::pin(async move { Ok(boxed(addresses.into_iter())) });
        }
        let looking = self.lookup.lookup(name);
        Box::pin(async move {
            let addresses = looking.await?;
            reach.check_all(&addresses)?;
            Ok(boxed(addresses.into_iter()))
        })
    }
}

/// With port zero the client takes the port of the link.
fn boxed(addresses: impl Iterator<Item = IpAddr> + Send + 'static) -> Addrs {
    Box::new(addresses.map(|address| SocketAddr::new(address, 0)))
}
