//! Tokens that announce themselves: the prefixes that providers document.
//!
//! A prefix is no proof, so each row states how long the rest has to be and which characters it is made of.
//! Where the format holds a checksum, it tells a token that was wrapped or run together with its neighbour from chance.

use crate::checksum;

/// Which characters a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Alphanumeric,
    Upper,
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
    pub(crate) fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        }
    }
}

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
}

const fn format(rule: &'static str, prefix: &'static str, class: Class, shortest: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: None, is_ambiguous: false }
}

const fn exact(rule: &'static str, prefix: &'static str, class: Class, shortest: usize, exact: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: Some(exact), is_ambiguous: false }
}

const fn loose(rule: &'static str, prefix: &'static str, class: Class, shortest: usize) -> Format {
    Format { rule, prefix, class, shortest, exact: None, is_ambiguous: true }
}

use Class::{Alphanumeric, Base64, Dotted, Hex, Upper, Url, Word};

/// The formats, by provider.
pub(crate) static FORMATS: &[Format] = &[
    exact("aws-access-key-id", "AKIA", Upper, 16, 16),
    exact("aws-access-key-id", "ASIA", Upper, 16, 16),
    exact("aws-access-key-id", "ABIA", Upper, 16, 16),
    exact("aws-access-key-id", "ACCA", Upper, 16, 16),
    format("aws-bedrock-key", "ABSK", Base64, 60),
    format("aws-mws-token", "amzn.mws.", Url, 30),
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
    format("dynatrace-token", "dt0c01.", Dotted, 60),
    format("dynatrace-token", "dt0s01.", Dotted, 60),
    format("contentful-token", "CFPAT-", Url, 40),
    format("circleci-token", "CCIPAT_", Word, 40),
    format("buildkite-token", "bkua_", Hex, 40),
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
    format("adobe-secret", "p8e-", Alphanumeric, 32),
    format("terraform-token", "atlasv1.", Url, 40),
    format("paseto", "v2.local.", Dotted, 30),
    format("paseto", "v4.local.", Dotted, 30),
    format("cloudflare-origin-key", "v1.0-", Hex, 100),
    format("artifactory-key", "AKCp", Alphanumeric, 60),
    format("mailchimp-transactional-key", "md-", Url, 22),
    format("infracost-key", "ico-", Alphanumeric, 32),
    format("typeform-token", "tfp_", Dotted, 40),
    format("telegram-token", ":AA", Url, 32),
];

/// A token that was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub start: usize,
    pub end: usize,
}

/// Filler in documents: few different characters, or the word that says so.
pub(crate) fn is_filler(body: &[u8]) -> bool {
    let mut seen = [false; 256];
    let mut distinct = 0;
    for &byte in body {
        let slot = &mut seen[usize::from(byte.to_ascii_lowercase())];
        if !*slot {
            *slot = true;
            distinct += 1;
        }
    }
    distinct <= 3 && body.len() >= 4
}

/// So much of a token decides whether it is one.
const DECIDING: usize = 160;

fn longest_run(body: &[u8]) -> usize {
    body.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len).max().unwrap_or_default()
}

impl Format {
    /// Whether a token of this format starts at `at`, where its prefix was seen in any case.
    pub(crate) fn find(&self, bytes: &[u8], at: usize) -> Option<Token> {
        let body_start = at + self.prefix.len();
        if bytes.get(at..body_start)? != self.prefix.as_bytes() {
            return None;
        }
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
        let is_inside_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
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
        if self.rule == "telegram-token" {
            let digits = bytes[..at].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
            return (8..=10).contains(&digits).then_some(Token { start: at - digits, end });
        }
        if is_inside_word && !self.is_unmistakable(body) {
            return None;
        }
        if matches!(self.class, Upper) && self.exact.is_some_and(|exact| length != exact) {
            return None;
        }
        if self.prefix.len() <= 3 && self.exact.is_some_and(|exact| length != exact) {
            return None;
        }
        if is_filler(body) {
            return None;
        }
        if self.is_ambiguous || self.prefix.len() <= 4 {
            let has_digit = body.iter().any(u8::is_ascii_digit);
            if !has_digit || longest_run(body) < 12 {
                // A key id of letters alone is as likely as any other.
                if self.class != Upper {
                    return None;
                }
            }
        }
        if length == DECIDING {
            end += run(end, usize::MAX);
        }
        // A sentence ends behind the token.
        while end > body_start && bytes.get(end - 1) == Some(&b'.') {
            end -= 1;
        }
        Some(Token { start: at, end })
    }

    /// The prefix and the length leave no doubt even inside a longer word.
    fn is_unmistakable(&self, body: &[u8]) -> bool {
        let is_full = self.exact.is_some_and(|exact| body.len() >= exact);
        self.prefix.len() >= 4 && is_full && self.class != Upper
    }

    /// The end of a token that goes on in the next line.
    fn wrapped(&self, bytes: &[u8], (body_start, line_end): (usize, usize), exact: usize) -> Option<usize> {
        let rest = bytes.get(line_end..)?;
        let gap = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return None,
        };
        let head = bytes.get(body_start..line_end)?;
        let tail_start = line_end + gap;
        let tail_length = bytes.get(tail_start..)?.iter().take_while(|&&byte| self.class.holds(byte)).count();
        if head.len() < 4 || head.len() + tail_length != exact || tail_length == 0 {
            return None;
        }
        let tail_end = tail_start + tail_length;
        let body = [head, bytes.get(tail_start..tail_end)?].concat();
        let is_checked = checksum::has_base62_tail(&body);
        let looks_random = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_uppercase);
        (is_checked || looks_random).then_some(tail_end)
    }
}
