//! Tokens that announce themselves: the prefixes that providers document.
//!
//! A prefix is no proof, so each row states how long the rest has to be and which characters it is made of.
//! Where the format holds a checksum, it tells a token that was wrapped or run together with its neighbour from chance.

use crate::checksum;
use crate::edge;

/// Which characters a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Digits,
    Alphanumeric,
    Upper,
    /// Groups of capitals and digits with hyphens between.
    UpperGroups,
    Hex,
    /// Letters, digits, underscore.
    Word,
    /// Letters, digits, underscore, hyphen.
    Url,
    /// The same and full stops.
    Dotted,
    /// Base64 with padding.
    Base64,
}

impl Class {
    /// Whether a byte is one of the class.
    pub(crate) fn holds(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] >> self as u16 & 1 == 1
    }

    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::UpperGroups => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        }
    }
}

/// The classes of every byte, one bit each: the rest of what may be a token is read at every mark of one.
static CLASSES: [u16; 256] = {
    const ALL: [Class; 9] = [Class::Digits, Alphanumeric, Upper, UpperGroups, Hex, Word, Url, Dotted, Base64];
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut index = 0;
        while index < ALL.len() {
            if ALL[index].has(byte) {
                table[byte as usize] |= 1 << ALL[index] as u16;
            }
            index += 1;
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

/// One documented format.
#[derive(Debug)]
pub(crate) struct Format {
    pub rule: &'static str,
    pub prefix: &'static str,
    class: Class,
    /// The shortest rest that is taken for a token.
    shortest: usize,
    /// The length of the rest when the format fixes it.
    exact: Option<usize>,
    /// Words look like the prefix too: the rest must hold a digit and a long run without a separator.
    is_ambiguous: bool,
    /// What stands in front of the mark, where the mark is not the beginning: its characters, and how many.
    head: Option<(Class, usize, usize)>,
}

const fn format(rule: &'static str, prefix: &'static str, class: Class, shortest: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: None, is_ambiguous: false, head: None }
}

const fn exact(rule: &'static str, prefix: &'static str, class: Class, shortest: usize, exact: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: Some(exact), is_ambiguous: false, head: None }
}

const fn loose(rule: &'static str, prefix: &'static str, class: Class, shortest: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: None, is_ambiguous: true, head: None }
}

/// A format whose mark stands in its middle or at its end, behind so many characters of a class.
const fn behind(
    rule: &'static str,
    (class, least, most): (Class, usize, usize),
    mark: &'static str,
    body: Class,
    shortest: usize,
) -> Format {
    Format {
        rule,
        prefix: mark,
        class: body,
        shortest,
        exact: None,
        is_ambiguous: false,
        head: Some((class, least, most)),
    }
}

use Class::{Alphanumeric, Base64, Dotted, Hex, Upper, UpperGroups, Url, Word};

/// The formats, by provider.
pub(crate) static FORMATS: &[Format] = &[
    exact("aws-access-key-id", "AKIA", Upper, 16, 16),
    exact("aws-access-key-id", "ASIA", Upper, 16, 16),
    exact("aws-access-key-id", "ABIA", Upper, 16, 16),
    exact("aws-access-key-id", "ACCA", Upper, 16, 16),
    format("aws-bedrock-key", "ABSK", Base64, 60),
    format("aws-bedrock-key", "bedrock-api-key-", Base64, 60),
    format("aws-mws-token", "amzn.mws.", Url, 30),
    format("amazon-oauth-secret", "amzn1.oa2-cs.v1.", Hex, 64),
    exact("github-token", "ghp_", Word, 20, 36),
    exact("github-token", "gho_", Word, 20, 36),
    exact("github-token", "ghu_", Word, 20, 36),
    format("github-token", "ghs_", Dotted, 20),
    exact("github-token", "ghr_", Word, 20, 36),
    format("github-token", "github_pat_", Word, 20),
    format("gitlab-token", "glpat-", Dotted, 20),
    format("gitlab-token", "gldt-", Url, 20),
    format("gitlab-token", "glrt-", Dotted, 20),
    format("gitlab-token", "glrtr-", Dotted, 20),
    format("gitlab-token", "glcbt-", Url, 20),
    format("gitlab-token", "glptt-", Url, 20),
    format("gitlab-token", "glft-", Url, 20),
    format("gitlab-token", "glimt-", Url, 20),
    format("gitlab-token", "glagent-", Url, 20),
    format("gitlab-token", "gloas-", Url, 20),
    format("gitlab-token", "glsoat-", Url, 20),
    format("gitlab-token", "glffct-", Url, 20),
    format("gitlab-token", "GR1348941", Url, 20),
    format("slack-token", "xoxb-", Url, 10),
    format("slack-token", "xoxa-", Url, 10),
    format("slack-token", "xoxp-", Url, 10),
    format("slack-token", "xoxr-", Url, 10),
    format("slack-token", "xoxs-", Url, 10),
    format("slack-token", "xoxo-", Url, 10),
    format("slack-token", "xoxc-", Url, 10),
    format("slack-token", "xoxd-", Base64, 10),
    format("slack-token", "xoxe-", Url, 10),
    format("slack-token", "xoxe.", Dotted, 10),
    format("slack-token", "xapp-", Url, 10),
    format("slack-token", "xwfp-", Url, 10),
    format("google-api-key", "AIza", Url, 30),
    format("google-oauth-token", "ya29.", Dotted, 20),
    format("google-oauth-secret", "GOCSPX-", Url, 20),
    format("google-refresh-token", "1//0", Url, 30),
    loose("api-key", "sk-", Url, 16),
    loose("api-key", "rk-", Url, 16),
    loose("api-key", "pk-", Url, 16),
    format("anthropic-key", "sk-ant-", Url, 16),
    format("openai-key", "sk-proj-", Url, 16),
    format("openrouter-key", "sk-or-v1-", Alphanumeric, 16),
    format("stripe-key", "sk_live_", Alphanumeric, 12),
    format("stripe-key", "sk_test_", Alphanumeric, 12),
    format("stripe-key", "rk_live_", Alphanumeric, 12),
    format("stripe-key", "rk_test_", Alphanumeric, 12),
    format("stripe-key", "pk_live_", Alphanumeric, 12),
    format("stripe-key", "sk_org_", Word, 16),
    format("stripe-webhook-secret", "whsec_", Base64, 20),
    loose("api-key", "sk_", Word, 24),
    format("huggingface-token", "hf_", Alphanumeric, 30),
    format("huggingface-token", "api_org_", Alphanumeric, 30),
    exact("npm-token", "npm_", Alphanumeric, 30, 36),
    format("pypi-token", "pypi-", Url, 40),
    format("rubygems-key", "rubygems_", Hex, 40),
    format("crates-token", "cio", Alphanumeric, 32),
    format("nuget-key", "oy2", Alphanumeric, 43),
    format("docker-token", "dckr_pat_", Url, 20),
    format("docker-token", "dckr_oat_", Url, 20),
    format("digitalocean-token", "dop_v1_", Hex, 40),
    format("digitalocean-token", "doo_v1_", Hex, 40),
    format("digitalocean-token", "dor_v1_", Hex, 40),
    format("shopify-token", "shpat_", Alphanumeric, 30),
    format("shopify-token", "shpca_", Alphanumeric, 30),
    format("shopify-token", "shppa_", Alphanumeric, 30),
    format("shopify-token", "shpss_", Alphanumeric, 30),
    format("square-token", "sq0atp-", Url, 20),
    format("square-token", "sq0csp-", Url, 20),
    format("square-token", "EAAA", Url, 60),
    format("sendgrid-key", "SG.", Dotted, 40),
    format("mailgun-key", "key-", Hex, 32),
    exact("twilio-key", "SK", Hex, 32, 32),
    format("brevo-key", "xkeysib-", Url, 40),
    format("brevo-key", "xsmtpsib-", Url, 40),
    format("vault-token", "hvs.", Url, 24),
    format("vault-token", "hvb.", Url, 24),
    format("vault-token", "hvr.", Url, 24),
    format("linear-key", "lin_api_", Alphanumeric, 30),
    format("linear-key", "lin_oauth_", Alphanumeric, 30),
    format("notion-key", "secret_", Alphanumeric, 40),
    format("notion-key", "ntn_", Alphanumeric, 40),
    format("postman-key", "PMAK-", Url, 50),
    format("newrelic-key", "NRAK-", Upper, 20),
    format("newrelic-key", "NRJS-", Hex, 15),
    format("newrelic-key", "NRII-", Url, 30),
    format("newrelic-key", "NRIQ-", Url, 30),
    format("grafana-token", "glsa_", Word, 30),
    format("grafana-token", "glc_", Base64, 30),
    format("sentry-token", "sntrys_", Base64, 40),
    format("sentry-token", "sntryu_", Hex, 40),
    format("atlassian-token", "ATATT3", Base64, 40),
    format("atlassian-token", "ATCTT3", Base64, 40),
    format("bitbucket-token", "ATBB", Base64, 24),
    format("figma-token", "figd_", Url, 30),
    format("supabase-token", "sbp_", Hex, 40),
    format("supabase-key", "sb_secret_", Url, 20),
    format("planetscale-token", "pscale_tkn_", Dotted, 30),
    format("planetscale-token", "pscale_oauth_", Dotted, 30),
    format("planetscale-password", "pscale_pw_", Dotted, 30),
    format("pulumi-token", "pul-", Hex, 40),
    format("fly-token", "fm2_", Base64, 40),
    format("fly-token", "fo1_", Url, 40),
    format("netlify-token", "nfp_", Alphanumeric, 36),
    format("vercel-token", "vcp_", Alphanumeric, 24),
    format("vercel-token", "vck_", Alphanumeric, 24),
    format("render-key", "rnd_", Alphanumeric, 26),
    format("dropbox-token", "sl.", Url, 60),
    format("facebook-token", "EAAC", Alphanumeric, 60),
    format("facebook-token", "EAAB", Alphanumeric, 60),
    format("facebook-token", "EAAG", Alphanumeric, 60),
    format("facebook-token", "EAAM", Alphanumeric, 60),
    format("twitter-token", "AAAAAAAAAAAAAAAAAAAA", Base64, 40),
    format("xai-key", "xai-", Alphanumeric, 40),
    format("groq-key", "gsk_", Alphanumeric, 40),
    format("perplexity-key", "pplx-", Alphanumeric, 40),
    format("replicate-token", "r8_", Alphanumeric, 30),
    format("tavily-key", "tvly-", Url, 20),
    format("fireworks-key", "fw_", Alphanumeric, 22),
    format("nvidia-key", "nvapi-", Url, 40),
    format("cerebras-key", "csk-", Alphanumeric, 40),
    format("langsmith-key", "lsv2_pt_", Word, 30),
    format("langsmith-key", "lsv2_sk_", Word, 30),
    format("pinecone-key", "pcsk_", Word, 40),
    format("jina-key", "jina_", Alphanumeric, 40),
    format("apify-token", "apify_api_", Alphanumeric, 30),
    format("databricks-token", "dapi", Hex, 32),
    format("onepassword-token", "ops_eyJ", Base64, 60),
    format("age-key", "AGE-SECRET-KEY-1", Upper, 30),
    format("tailscale-key", "tskey-", Url, 16),
    format("doppler-token", "dp.pt.", Alphanumeric, 30),
    format("doppler-token", "dp.st.", Dotted, 30),
    format("doppler-token", "dp.ct.", Alphanumeric, 30),
    format("doppler-token", "dp.sa.", Alphanumeric, 30),
    format("doppler-token", "dp.scim.", Alphanumeric, 30),
    format("doppler-token", "dp.audit.", Alphanumeric, 30),
    format("dynatrace-token", "dt0c01.", Dotted, 60),
    format("dynatrace-token", "dt0s01.", Dotted, 60),
    format("contentful-token", "CFPAT-", Url, 40),
    format("circleci-token", "CCIPAT_", Word, 40),
    format("circleci-token", "CCIPRJ_", Word, 40),
    format("buildkite-token", "bkua_", Hex, 40),
    format("buildkite-token", "bkaj_", Alphanumeric, 36),
    format("easypost-key", "EZAK", Alphanumeric, 54),
    format("easypost-key", "EZTK", Alphanumeric, 54),
    format("alibaba-key", "LTAI", Alphanumeric, 16),
    format("prefect-key", "pnu_", Alphanumeric, 36),
    format("readme-key", "rdme_", Alphanumeric, 60),
    format("sourcegraph-token", "sgp_", Word, 40),
    format("wakatime-key", "waka_", Url, 30),
    format("ory-token", "ory_at_", Url, 30),
    format("ory-token", "ory_pat_", Url, 30),
    format("razorpay-key", "rzp_live_", Alphanumeric, 14),
    format("flutterwave-key", "FLWSECK-", Url, 16),
    format("flutterwave-key", "FLWSECK_TEST-", Url, 16),
    format("adobe-secret", "p8e-", Alphanumeric, 32),
    format("terraform-token", "atlasv1.", Url, 40),
    format("paseto", "v2.local.", Dotted, 30),
    format("paseto", "v4.local.", Dotted, 30),
    format("cloudflare-origin-key", "v1.0-", Url, 120),
    format("artifactory-key", "AKCp", Alphanumeric, 60),
    format("mailchimp-transactional-key", "md-", Url, 22),
    format("infracost-key", "ico-", Alphanumeric, 32),
    format("typeform-token", "tfp_", Dotted, 40),
    format("together-key", "tgp_v1_", Url, 40),
    loose("resend-key", "re_", Word, 30),
    format("neon-key", "napi_", Alphanumeric, 60),
    format("posthog-key", "phx_", Alphanumeric, 40),
    format("clojars-token", "CLOJARS_", Alphanumeric, 60),
    format("duffel-token", "duffel_live_", Url, 40),
    format("duffel-token", "duffel_test_", Url, 40),
    format("frameio-token", "fio-u-", Url, 60),
    format("heroku-key", "HRKU-", Url, 36),
    format("hubspot-token", "pat-na1-", Url, 36),
    format("hubspot-token", "pat-eu1-", Url, 36),
    format("intra42-secret", "s-s4t2ud-", Hex, 64),
    format("intra42-secret", "u-s4t2ud-", Hex, 64),
    format("artifactory-key", "cmVmdGtuOj", Base64, 40),
    format("openshift-token", "sha256~", Url, 43),
    format("scalingo-token", "tk-us-", Url, 48),
    format("settlemint-token", "sm_aat_", Alphanumeric, 16),
    format("settlemint-token", "sm_pat_", Alphanumeric, 16),
    format("settlemint-token", "sm_sat_", Alphanumeric, 16),
    format("shippo-token", "shippo_live_", Hex, 40),
    format("shippo-token", "shippo_test_", Hex, 40),
    format("sonar-token", "squ_", Hex, 40),
    format("sonar-token", "sqp_", Hex, 40),
    format("sonar-token", "sqa_", Hex, 40),
    format("yandex-key", "AQVN", Url, 35),
    loose("yandex-token", "t1.", Dotted, 100),
    format("onepassword-secret-key", "A3-", UpperGroups, 32),
    format("adafruit-key", "aio_", Alphanumeric, 28),
    format("defined-token", "dnkey-", Url, 60),
    loose("plaid-token", "access-sandbox-", Url, 36),
    loose("plaid-token", "access-development-", Url, 36),
    loose("plaid-token", "access-production-", Url, 36),
    format("mapbox-token", "sk.eyJ", Dotted, 60),
    format("mercadopago-token", "APP_USR-", Url, 50),
    format("deno-token", "ddp_", Alphanumeric, 36),
    format("deno-token", "ddo_", Alphanumeric, 36),
    format("packagist-token", "packagist_", Word, 60),
    format("zuplo-key", "zpka_", Word, 40),
    format("nostr-key", "nsec1", Alphanumeric, 58),
    format("wallet-key", "xprv", Alphanumeric, 100),
    format("wallet-key", "yprv", Alphanumeric, 100),
    format("wallet-key", "zprv", Alphanumeric, 100),
    format("wallet-key", "tprv", Alphanumeric, 100),
    format("rootly-key", "rootly_", Hex, 64),
    format("cursor-key", "crsr_", Hex, 64),
    loose("persona-key", "persona_production_", Url, 36),
    loose("persona-key", "persona_sandbox_", Url, 36),
    loose("launchdarkly-key", "sdk-", Url, 36),
    exact("octopus-key", "API-", Upper, 26, 26),
    loose("lob-key", "live_", Url, 35),
    format("lob-key", "test_", Hex, 35),
    format("airtable-token", "pat", Dotted, 79),
    behind("azure-secret", (Dotted, 4, 4), "Q~", Dotted, 31),
    behind("firebase-key", (Url, 11, 11), ":APA91b", Url, 100),
    behind("telegram-token", (Class::Digits, 8, 10), ":AA", Url, 32),
    // What tells these apart stands at their end.
    behind("mailchimp-key", (Hex, 32, 32), "-us", Alphanumeric, 1),
    behind("newrelic-key", (Alphanumeric, 36, 36), "NRAL", Alphanumeric, 0),
    behind("maxmind-key", (Word, 36, 36), "_mmk", Alphanumeric, 0),
];

/// A token that was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub start: usize,
    pub end: usize,
}

/// Filler in documents: few different characters, or the word that says so.
pub(crate) fn is_filler(body: &[u8]) -> bool {
    let mut seen = [0; 3];
    let mut distinct = 0;
    for byte in body.iter().map(u8::to_ascii_lowercase) {
        if seen[..distinct].contains(&byte) {
            continue;
        }
        let Some(slot) = seen.get_mut(distinct) else { return false };
        *slot = byte;
        distinct += 1;
    }
    body.len() >= 4
}

/// So much of a token decides whether it is one.
const DECIDING: usize = 160;

fn has_both(body: &[u8]) -> bool {
    body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2 && body.iter().any(u8::is_ascii_alphabetic)
}

fn longest_run(body: &[u8]) -> usize {
    body.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len).max().unwrap_or_default()
}

/// Letters alone that change between small and capital as they do by chance, and not once in a word.
fn is_random_in_letters(body: &[u8]) -> bool {
    let pairs = |test: fn(u8) -> bool| body.windows(2).filter(|pair| test(pair[0]) && test(pair[1])).count();
    let humps = body.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    body.len() >= 30 && pairs(|byte| byte.is_ascii_uppercase()) >= 3 && humps * 7 >= body.len()
}

/// Behind a colour of a terminal whose first character was lost: `[31m`.
fn is_behind_colour(bytes: &[u8], at: usize) -> bool {
    let Some((b'm', head)) = bytes[at.saturating_sub(12)..at].split_last() else { return false };
    let digits = head.iter().rev().take_while(|&&byte| byte.is_ascii_digit() || byte == b';').count();
    head[..head.len() - digits].last() == Some(&b'[')
}

impl Format {
    /// The length of a whole token, where the format fixes it.
    pub(super) fn length(&self) -> Option<usize> {
        self.exact.map(|exact| self.prefix.len() + exact)
    }

    /// Whether a token of this format starts at `at`, where its prefix was seen in any case.
    pub(crate) fn find(&self, bytes: &[u8], at: usize) -> Option<Token> {
        let body_start = at + self.prefix.len();
        if bytes.get(at..body_start)? != self.prefix.as_bytes() {
            return None;
        }
        if let Some(head) = self.head {
            return self.around(bytes, at, head);
        }
        let before = edge::before(bytes, at);
        let is_inside_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric()) && !is_behind_colour(bytes, at);
        if is_inside_word && (self.exact.is_none() || self.prefix.len() < 4) {
            return None;
        }
        // The beginning decides; the rest of an accepted token is taken with it.
        let run = |from: usize, most: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            rest.iter().take(most).take_while(|&&byte| self.class.holds(byte)).count()
        };
        let length = run(body_start, DECIDING);
        let mut end = body_start + length;
        if let (Some(exact), true) = (self.exact, length < self.exact.unwrap_or_default())
            && let Some(wrapped) = self.wrapped(bytes, (body_start, end), exact)
        {
            return Some(Token { start: at, end: wrapped });
        }
        if length < self.shortest {
            return None;
        }
        let body = &bytes[body_start..end];
        let is_shaped = match self.rule {
            "airtable-token" => {
                body.get(14) == Some(&b'.')
                    && body.get(15..79).is_some_and(|tail| tail.iter().all(u8::is_ascii_hexdigit))
            }
            "resend-key" => body.get(8) == Some(&b'_') && longest_run(body) >= 20,
            "launchdarkly-key" => body.get(8) == Some(&b'-') && body.get(23) == Some(&b'-'),
            _ => true,
        };
        if !is_shaped {
            return None;
        }
        if is_inside_word && !self.is_unmistakable(body) {
            return None;
        }
        // A key id that something was glued to: as many characters as it has, and other ones behind.
        if self.class == Upper
            && self.exact.is_some_and(|exact| length != exact && (length > exact + 8 || !has_both(&body[..exact])))
        {
            return None;
        }
        if self.prefix.len() <= 3 && self.exact.is_some_and(|exact| length != exact) {
            return None;
        }
        if is_filler(body) {
            return None;
        }
        if self.is_ambiguous || self.prefix.len() <= 4 {
            let has_digit = body.iter().any(u8::is_ascii_digit) || is_random_in_letters(body);
            if !has_digit || longest_run(body) < 12 {
                // A key id of letters alone is as likely as any other.
                if !matches!(self.class, Upper | UpperGroups) {
                    return None;
                }
            }
        }
        if length == DECIDING {
            end += run(end, usize::MAX);
        }
        if self.exact.is_none() && end - at >= 16 {
            end = self.continued(bytes, at, end);
        }
        if self.exact.is_none() {
            end = self.joined(bytes, end);
        }
        // A sentence ends behind the token.
        while end > body_start && bytes.get(end - 1) == Some(&b'.') {
            end -= 1;
        }
        Some(Token { start: at, end })
    }

    /// A token with its mark in the middle or at the end.
    fn around(&self, bytes: &[u8], at: usize, (head, least, most): (Class, usize, usize)) -> Option<Token> {
        let body_start = at + self.prefix.len();
        let body = bytes.get(body_start..).unwrap_or_default();
        let length = body.iter().take(DECIDING).take_while(|&&byte| self.class.holds(byte)).count();
        let before = bytes[..at].iter().rev().take(most + 1).take_while(|&&byte| head.holds(byte)).count();
        // The secret of an application has a digit right in front of its mark.
        let is_shaped = match self.rule {
            "azure-secret" => at > 0 && bytes[at - 1].is_ascii_digit(),
            "mailchimp-key" => length <= 2 && body[..length].iter().all(u8::is_ascii_digit),
            "maxmind-key" => bytes.get(at.wrapping_sub(30)) == Some(&b'_'),
            _ => true,
        };
        // At the end of a token, a longer word is another word.
        let is_end = self.shortest > 1 || length == self.shortest || self.rule == "mailchimp-key";
        let is_token = length >= self.shortest && (least..=most).contains(&before) && is_shaped && is_end;
        is_token.then_some(Token { start: at - before, end: body_start + length })
    }

    /// The prefix and the length leave no doubt even inside a longer word.
    fn is_unmistakable(&self, body: &[u8]) -> bool {
        let is_full = self.exact.is_some_and(|exact| body.len() >= exact);
        self.prefix.len() >= 4 && is_full && self.class != Upper
    }

    /// The end of a token of fixed length that goes on behind a line end, or in the next piece of a text in quotes.
    fn wrapped(&self, bytes: &[u8], (body_start, line_end): (usize, usize), exact: usize) -> Option<usize> {
        const LONGEST_GAP: usize = 40;
        let head = bytes.get(body_start..line_end)?;
        if head.len() < 4 {
            return None;
        }
        let rest = bytes.get(line_end..)?;
        let is_gap = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'+.^`=>|&\\".contains(byte);
        let gap = rest.iter().take(LONGEST_GAP).take_while(is_gap).count();
        let tail_start = line_end + gap;
        let tail_length = bytes.get(tail_start..)?.iter().take_while(|&&byte| self.class.holds(byte)).count();
        if gap == 0 || head.len() + tail_length != exact || tail_length == 0 {
            return None;
        }
        let tail_end = tail_start + tail_length;
        let body = [head, bytes.get(tail_start..tail_end)?].concat();
        if checksum::has_base62_tail(&body) {
            return Some(tail_end);
        }
        let between = rest.get(..gap)?;
        // Two pieces of a text in quotes, and the soft line end of a mail, are as good as a line end.
        let quotes = between.iter().filter(|byte| matches!(byte, b'"' | b'\'')).count();
        let is_line_end = matches!(between, b"\n" | b"\r\n" | b"=\n" | b"=\r\n") || quotes == 2;
        let looks_random = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_uppercase);
        (is_line_end && looks_random).then_some(tail_end)
    }

    /// The end of a token that goes on in the next piece of a text in quotes: `"…" + "…"`.
    fn joined(&self, bytes: &[u8], end: usize) -> usize {
        const LONGEST_GAP: usize = 40;
        const SHORTEST: usize = 8;
        let rest = bytes.get(end..).unwrap_or_default();
        let Some(quote @ (b'"' | b'\'')) = rest.first() else { return end };
        let is_gap = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, b'+' | b'.' | b'&' | b'\\');
        let gap = 1 + rest[1..].iter().take(LONGEST_GAP).take_while(is_gap).count();
        if rest.get(gap) != Some(quote) {
            return end;
        }
        let tail = rest[gap + 1..].iter().take_while(|&&byte| self.class.holds(byte)).count();
        let piece = &rest[gap + 1..gap + 1 + tail];
        let is_piece =
            tail >= SHORTEST && piece.iter().any(u8::is_ascii_digit) && rest.get(gap + 1 + tail) == Some(quote);
        if is_piece { end + gap + 1 + tail } else { end }
    }

    /// The end of a long token that fills its line and goes on in the next one.
    fn continued(&self, bytes: &[u8], start: usize, end: usize) -> usize {
        continued(bytes, start, end, |byte| self.class.holds(byte))
    }
}

/// The narrowest width at which a program breaks a word.
const NARROWEST: usize = 60;

/// Where a token ends that reaches from a place to the end of a line as wide as a terminal and goes on below it: the
/// next line, behind the same margin, holds nothing but random characters of the same class.
pub(super) fn continued(bytes: &[u8], start: usize, end: usize, holds: impl Fn(u8) -> bool) -> usize {
    const MOST_LINES: usize = 64;
    let line_start = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |found| found + 1);
    let margin =
        bytes[line_start..start].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t' | b'>' | b'|')).count();
    let margin = bytes.get(line_start..line_start + margin).unwrap_or_default();
    let mut line = (line_start, end);
    for _ in 0..MOST_LINES {
        let rest = bytes.get(line.1..).unwrap_or_default();
        let gap = match rest {
            // The soft line end of a mail, which is as wide as the mail's lines.
            [b'=', b'\r', b'\n', ..] => 3,
            [b'=' | b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => break,
        };
        let next = line.1 + gap;
        if line.1 - line.0 < NARROWEST || !bytes.get(next..).is_some_and(|rest| rest.starts_with(margin)) {
            break;
        }
        let from = next + margin.len();
        let length = bytes.get(from..).unwrap_or_default().iter().take_while(|&&byte| holds(byte)).count();
        let word = bytes.get(from..from + length).unwrap_or_default();
        let is_whole = matches!(bytes.get(from + length), None | Some(b'\n' | b'\r' | b'"' | b'\''));
        let has = |test: fn(&u8) -> bool| word.iter().any(test);
        let is_random = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && length >= 8;
        if !is_whole || !is_random || length > line.1 - line.0 {
            break;
        }
        line = (next, from + length);
    }
    line.1
}
