//! The shapes MCP gives to what the server sends, and the names it reserves. No behaviour.
//!
//! Absent members are left out, never `null`: the TypeScript clients refuse a `null` in place of an optional member.
//! What clients send is not described here; it is taken apart member by member in `session`.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::jsonrpc::RequestId;

/// The revision that is spoken without a handshake, each request naming it in `params._meta`.
pub const STATELESS_REVISION: &str = "2026-07-28";

/// Reserved keys of `_meta` (MCP 2026-07-28, "Overview").
pub mod meta {
    /// The revision a request is meant in: a string, required.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// What the client can do: an object, required.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// From which level on the client wants log messages; optional.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// Under which name the client wants to hear of progress; optional, in every revision.
    pub const PROGRESS_TOKEN: &str = "progressToken";
}

/// The levels that may stand in [`meta::LOG_LEVEL`] (RFC 5424).
pub const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A revision that begins with the `initialize` handshake; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05, the first.
    November2024,
    /// 2025-03-26, the only one with batches; brought the `message` of progress notifications.
    March2025,
    /// 2025-06-18; brought `structuredContent` and `outputSchema`.
    June2025,
    /// 2025-11-25, the last with a handshake.
    November2025,
}

/// An object without members.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Empty {}

/// Who a program is (`serverInfo`).
#[derive(Debug, Clone, Serialize)]
pub struct Implementation {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// What the server offers: tools that never change, and nothing else.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ServerCapabilities {
    /// There are tools.
    pub tools: Empty,
}

/// Answers `initialize`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult<'a> {
    /// The revision spoken from now on.
    pub protocol_version: Revision,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: &'a Implementation,
    /// What the model should know before it uses the tools.
    pub instructions: &'a str,
}

/// Answers `server/discover`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult<'a> {
    /// The revisions that a request may name in `_meta`.
    pub supported_versions: [&'static str; 1],
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// What the model should know before it uses the tools.
    pub instructions: &'a str,
}

/// Answers `tools/list`, in one page.
#[derive(Debug, Serialize)]
pub struct ListToolsResult<'a> {
    /// The tools, as JSON already.
    pub tools: &'a RawValue,
}

/// Answers `tools/call`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult<'a> {
    /// What the model may read: always one block.
    pub content: [TextContent<'a>; 1],
    /// The same answer as JSON; absent when the tool refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<&'a RawValue>,
    /// Whether the tool refused; left out when it did not.
    #[serde(skip_serializing_if = "is_false")]
    pub is_error: bool,
}

/// A block of text.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "text")]
pub struct TextContent<'a> {
    /// The text.
    pub text: &'a str,
}

/// A result as 2026-07-28 wants it: `resultType` first, then the result's own members, `_meta` last.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatelessResult<'a, T> {
    /// Nothing is left to ask of the client.
    pub result_type: ResultType,
    /// The members that the method defines.
    #[serde(flatten)]
    pub body: T,
    /// How long the client may keep the result; on the methods that list something, and only there.
    #[serde(flatten)]
    pub cache: Option<CacheHints>,
    /// Who answered, and to which stream it belongs.
    #[serde(rename = "_meta")]
    pub meta: ResultMeta<'a>,
}

/// The only `resultType` this server ever sends.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResultType {
    /// The request is done.
    Complete,
}

/// How long and for whom a result stays true (SEP-2549).
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheHints {
    /// How long, in milliseconds; an integer, since clients refuse a fraction.
    pub ttl_ms: u64,
    /// For whom.
    pub cache_scope: CacheScope,
}

/// Who may share a kept result.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum CacheScope {
    /// Everybody.
    Public,
}

/// `_meta` of a result in 2026-07-28.
#[derive(Debug, Serialize)]
pub struct ResultMeta<'a> {
    /// The stream that ends with this result.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId", skip_serializing_if = "Option::is_none")]
    pub subscription_id: Option<&'a RequestId>,
    /// Who answered.
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    pub server_info: &'a Implementation,
}

/// Parameters of `notifications/progress`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams<'a> {
    /// The token of the request, with its type.
    pub progress_token: &'a RequestId,
    /// How far it has come; grows with every notification.
    pub progress: u64,
    /// The same in words; unknown before 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Parameters of `notifications/subscriptions/acknowledged`.
#[derive(Debug, Serialize)]
pub struct AcknowledgedParams<'a> {
    /// Which stream was opened.
    #[serde(rename = "_meta")]
    pub meta: SubscriptionMeta<'a>,
    /// The kinds of notification that will be sent on it: none, since nothing here ever changes.
    pub notifications: Empty,
}

/// `_meta` of a notification on a stream.
#[derive(Debug, Serialize)]
pub struct SubscriptionMeta<'a> {
    /// The id of the `subscriptions/listen` request, with its type.
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    pub subscription_id: &'a RequestId,
}

impl Revision {
    /// All of them, the oldest first.
    pub const ALL: [Self; 4] = [Self::November2024, Self::March2025, Self::June2025, Self::November2025];

    /// The one offered to a client that asks for something unknown.
    pub const LATEST: Self = Self::November2025;

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::November2024 => "2024-11-05",
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
        }
    }

    /// The revision of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.name() == name)
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the member over by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
