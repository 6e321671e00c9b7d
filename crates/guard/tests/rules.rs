//! What the rules find in a text, and what they leave.

use lwa_guard::{Place, PlaceKind, Rule, Scanner};
use rstest::rstest;

fn scan(text: &str) -> Vec<(Rule, String)> {
    let findings = Scanner::new().scan(&Place::new(PlaceKind::File, "a.txt"), text);
    findings.iter().map(|finding| (finding.rule, finding.value().to_owned())).collect()
}

#[rstest]
#[case("host 10.1.2.3 up", Rule::Ipv4Private, "10.1.2.3")]
#[case("http://192.168.178.20:8080/x", Rule::Ipv4Private, "192.168.178.20")]
#[case("ip=172.31.0.9.", Rule::Ipv4Private, "172.31.0.9")]
#[case("via 100.101.102.103", Rule::Ipv4Private, "100.101.102.103")]
#[case("169.254.3.4", Rule::Ipv4Private, "169.254.3.4")]
#[case("ping 8.8.8.8", Rule::Ipv4Public, "8.8.8.8")]
#[case("[::ffff:10.0.0.7]", Rule::Ipv4Private, "10.0.0.7")]
#[case("fe80::1ff:fe23:4567:890a%eth0", Rule::Ipv6Local, "fe80::1ff:fe23:4567:890a")]
#[case("fd12:3456:789a::1/48", Rule::Ipv6Local, "fd12:3456:789a::1")]
#[case("at 2a00:1450:4001:81b::200e: slow", Rule::Ipv6Public, "2a00:1450:4001:81b::200e")]
#[case("cd /home/mjordan/src", Rule::HomePath, "/home/mjordan")]
#[case("file:///home/mjordan/a", Rule::HomePath, "/home/mjordan")]
#[case("\"/Users/Mia.Jordan/Library\"", Rule::HomePath, "/Users/Mia.Jordan")]
#[case(r"C:\Users\mjordan\AppData", Rule::HomePath, r"\Users\mjordan")]
#[case(r#"{"p": "C:\\Users\\mjordan\\x"}"#, Rule::HomePath, r"\\Users\\mjordan")]
#[case("/mnt/c/Users/mjordan/x", Rule::HomePath, "/Users/mjordan")]
#[case("write to mia.jordan@firm.de, please", Rule::Mail, "mia.jordan@firm.de")]
#[case("Mia <mia@mail.firm.co.uk>", Rule::Mail, "mia@mail.firm.co.uk")]
#[case("ssh nas.tail1a2b3.ts.net", Rule::Tailnet, "nas.tail1a2b3.ts.net")]
#[case("https://Box.Some-Fish.TS.NET/", Rule::Tailnet, "Box.Some-Fish.TS.NET")]
fn what_must_not_leave_is_found(#[case] text: &str, #[case] rule: Rule, #[case] value: &str) {
    assert_eq!(scan(text), [(rule, value.to_owned())]);
}

#[rstest]
#[case("127.0.0.1 0.0.0.0 255.255.255.0 224.0.0.1")]
#[case("192.0.2.1 198.51.100.7 203.0.113.99")]
#[case("2001:db8::1 ::1 :: 3fff::2 ff02::1")]
#[case("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 fe80::/10 and /home/u")]
#[case("version 1.2.3.4.5, v10.2.3.4, lib-1.2.3.4 and 1.2.3.4-beta, 300.1.2.3")]
#[case("std::fs::read, a::b, fade::bad, 12:34:56, de:ad:be:ef:00:01")]
#[case("/home/user/x /home/$USER /home/<name>/ /Users/{id} /home/runner/work")]
#[case("https://firm.de/home/news and api/Users/list")]
#[case("someone@example.com a@b.example x@y.test q@localhost git@github.com:owner/name")]
#[case("1+name@users.noreply.github.com noreply@firm.de no-reply@firm.de")]
#[case("icon@2x.png getty@tty1.service pkg@1.2.3 @decorator.name")]
#[case("host.example.ts.net, tests.nets and foo.ts.network")]
fn what_may_leave_is_left(#[case] text: &str) {
    assert_eq!(scan(text), []);
}

#[test]
fn a_secret_is_found_by_the_recognisers_of_the_scrub() {
    let value = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text = format!("ok\ntoken: {value}\n");
    let findings = Scanner::new().scan(&Place::new(PlaceKind::File, "a.txt"), &text);
    let short: Vec<_> = findings.iter().map(|finding| (finding.rule, finding.line, finding.value())).collect();
    assert_eq!(short, [(Rule::Secret, 2, value.as_str())]);
}

#[test]
fn a_home_elsewhere_is_found_once_it_is_named() {
    let scanner = Scanner::new().with_home("/srv/people/mj").with_home("/root");
    let place = Place::new(PlaceKind::File, "a.txt");
    let found = scanner.scan(&place, "/srv/people/mj/x, /srv/people/mjx and /root/x");
    assert_eq!(found.iter().map(lwa_guard::Finding::value).collect::<Vec<_>>(), ["/srv/people/mj"]);
}

#[test]
fn every_address_of_a_writer_is_one_of_a_person() {
    let place = Place::new(PlaceKind::Identity, "author");
    let rules = |name: &str, mail: &str| -> Vec<Rule> {
        Scanner::new().scan_identity(&place, name, mail).iter().map(|finding| finding.rule).collect()
    };
    assert_eq!(rules("Mia", "mia@firm.de"), [Rule::Mail]);
    assert_eq!(rules("Mia", "mia@laptop"), [Rule::Mail]);
    assert_eq!(rules("Mia", "mia@users.noreply.github.com"), []);
    assert_eq!(rules("Mia", "mia@localhost"), []);
}

#[test]
fn a_finding_does_not_show_its_value_by_itself() {
    let findings = Scanner::new().scan(&Place::new(PlaceKind::File, "a.txt"), "mail mia@firm.de");
    assert_eq!(findings.len(), 1);
    assert!(!format!("{findings:?}").contains("mia"));
    assert_eq!(findings[0].characters(), 11);
}

#[test]
fn any_text_is_read_without_a_fault() {
    for text in [
        "@",
        "a@",
        "é@é.éé",
        "::::::::",
        "/home/",
        "\\\\Users\\\\",
        "ä10.0.0.1ö",
        ".ts.net",
        "1.2.3.",
        "日本@日本.日本",
    ] {
        let _ = scan(text);
    }
}
