//! What the recognisers hide and what they leave, notation by notation.
//!
//! A template holds `‹v›` where a value stands. Values are made here, so that nothing in this file can be taken for a
//! leak; the values of documents that are no credentials stand as they are.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::{Exposure, Scrubber, Vault, Visibility};
use rstest::rstest;

const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

fn assist() -> Exposure {
    Exposure::assist(Visibility::Open, Visibility::Masked)
}

fn scrubbed(text: &str, exposure: Exposure) -> String {
    Scrubber::new().scrub(&mut Vault::new(), text, exposure).unwrap().text.into_owned()
}

/// Characters that change as they do by chance, the same in every run.
fn random(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = usize::try_from(state >> 33).unwrap_or(0) % letters.len();
            letters[place]
        })
        .collect()
}

fn uuid(seed: u64) -> String {
    let hex = random(HEX, 32, seed);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

/// The check digits of an account number, and the number whole.
fn iban(country: &str, account: &str) -> String {
    let digits: String =
        format!("{account}{country}00").chars().map(|digit| digit.to_digit(36).unwrap().to_string()).collect();
    let rest = digits.bytes().fold(0_u32, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97);
    format!("{country}{:02}{account}", 98 - rest)
}

/// A card number with its check digit.
fn card(head: &str, length: usize) -> String {
    let body = format!("{head}{}", random("0123456789", length - 1 - head.len(), 5));
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(digit - b'0') * if place % 2 == 0 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

#[test]
fn a_token_that_announces_itself_is_hidden_without_a_label() {
    let dash = |parts: &[String]| parts.join("-");
    let tokens = [
        format!("bedrock-{}{}", "api-key-", random(MIXED, 80, 1)),
        format!("{}{}", "tgp_v1_", random(MIXED, 43, 2)),
        format!("{}{}-{}", "xsmtpsib-", random(HEX, 64, 3), random(MIXED, 16, 4)),
        format!("{}{}_{}", "re_", random(MIXED, 8, 5), random(MIXED, 24, 6)),
        format!("{}{}", "NRIQ-", random(MIXED, 32, 7)),
        format!("{}{}", "napi_", random(LOWER, 64, 8)),
        format!("{}{}", "phx_", random(MIXED, 43, 9)),
        format!("pat{}.{}", random(MIXED, 14, 10), random(HEX, 64, 11)),
        format!("{}{}", "CLOJARS_", random(HEX, 60, 12)),
        format!("{}{}", "duffel_live_", random(MIXED, 43, 13)),
        format!("{}{}-X", "FLWSECK_TEST-", random(HEX, 32, 14)),
        format!("{}{}", "fio-u-", random(MIXED, 64, 15)),
        format!("{}{}", "HRKU-", random(MIXED, 60, 16)),
        format!("{}{}", "pat-na1-", uuid(17)),
        format!("{}{}", "s-s4t2ud-", random(HEX, 64, 18)),
        format!("{}{}", "cmVmdGtuOj", random(MIXED, 54, 19)),
        format!("{}{}", "sha256~", random(MIXED, 43, 20)),
        format!("{}{}", "shippo_live_", random(HEX, 40, 21)),
        format!("{}{}", "squ_", random(HEX, 40, 22)),
        dash(&[
            "A3".to_owned(),
            random(UPPER, 6, 23),
            random(UPPER, 11, 24),
            random(UPPER, 5, 25),
            random(UPPER, 5, 26),
            random(UPPER, 5, 27),
        ]),
        format!("{}{}", "aio_", random(MIXED, 28, 28)),
        format!("{}{}", "dp.scim.", random(MIXED, 43, 29)),
        format!("{}{}-{}", "v1.0-", random(HEX, 24, 30), random(HEX, 146, 31)),
        format!("{}{}_{}", "CCIPRJ_", random(MIXED, 22, 32), random(HEX, 40, 33)),
        format!("{}{}", "access-sandbox-", uuid(34)),
        format!("{}{}.{}", "sk.eyJ", random(MIXED, 70, 35), random(MIXED, 22, 36)),
        format!("{}{}", "ddp_", random(MIXED, 36, 37)),
        format!("{}{}", "packagist_ack_", random(HEX, 60, 38)),
        format!("{}{}", "nsec1", random(LOWER, 58, 39)),
        format!("{}{}", "xprv9s21ZrQH143K", random(MIXED, 95, 40)),
        format!("{}8{}{}", random(MIXED, 3, 41), "Q~", random(MIXED, 34, 42)),
        format!("{}-{}", random(HEX, 32, 43), "us12"),
        format!("{}{}", random(HEX, 36, 44), "NRAL"),
        format!("{}{}{}", random("123456789", 10, 45), ":AA", random(MIXED, 33, 46)),
        format!("{}{}{}", random(MIXED, 11, 47), ":APA91b", random(MIXED, 134, 48)),
        format!("{}{}", "sdk-", uuid(49)),
    ];
    for token in tokens {
        assert_eq!(scrubbed(&format!("see {token}\nnext"), assist()), "see [SECRET-1]\nnext", "{token}");
    }
}

#[test]
fn words_that_begin_like_a_token_stay() {
    for text in [
        "napi_create_string_utf8(env, value)",
        "live_migration-of-virtual-machines-2026 is on",
        "pattern.matches and path.to.something.else",
        "sdk-for-the-new-platform-of-2026-and-later",
        "github.com/a/-user-guide",
        "general purpose: MINERAL neutral",
        "re_exported_from_the_other_module_in_version_2",
        "test_that_the_scrubber_keeps_names_with_numbers_12345",
    ] {
        assert_eq!(scrubbed(text, Exposure::pii()), text);
    }
}

#[test]
fn a_token_that_a_program_broke_is_hidden_in_both_lines() {
    let token = ["gh", "p_", "u8jzPde0IgxLd6Gn", "cfBAepfJBd0K", "h8024xXH"].concat();
    let (head, tail) = token.split_at(18);
    for gap in ["\n", "\r\n", "\\\n    ", "\" + \"", "\"\n     \"", "' . '", "=\n", "`\n", "^\r\n", "\n> "] {
        let result = scrubbed(&format!("a {head}{gap}{tail} z"), assist());
        assert!(!result.contains(tail) && !result.contains(head), "{gap:?}: {result}");
        assert!(result.starts_with("a ") && result.ends_with(" z"), "{result}");
    }
    // A long token without a fixed length goes on in the next line when it fills its own.
    let long = format!("sk-ant-{}", random(MIXED, 100, 3));
    let text = format!("{}\n{}\nok then", &long[..72], &long[72..]);
    assert_eq!(scrubbed(&text, assist()), "[SECRET-1]\nok then");
    let beside = format!("{}\nok then", &long[..72]);
    assert_eq!(scrubbed(&beside, assist()), "[SECRET-1]\nok then");
}

#[rstest]
#[case::secure_string("ConvertTo-SecureString \"‹v›\" -AsPlainText -Force")]
#[case::network_credential("new NetworkCredential(\"svc\", \"‹v›\")")]
#[case::yaml_anchor("password: &pw ‹v›\nother: *pw")]
#[case::yaml_tag("password: !!str ‹v›")]
#[case::plural("{\"passwords\": [\"‹v›\"], \"n\": 2}")]
#[case::registry_token("registry.token = \"‹v›\"")]
#[case::ini("[smtp]\npass = ‹v›\nport = 25")]
#[case::value_before_key("<add value=\"‹v›\" key=\"SmtpPassword\" />")]
#[case::cdata("<apiKey><![CDATA[‹v›]]></apiKey>")]
#[case::keystore("<Connector keystorePass=\"‹v›\" port=\"8443\"/>")]
#[case::vocabulary("<wsse:Password Type=\"x\">‹v›</wsse:Password>")]
#[case::short_element("<auth><user>bot</user><pass>‹v›</pass></auth>")]
#[case::property_list("<key>APIKey</key>\n<string>‹v›</string>\n<key>Region</key>\n<string>eu</string>")]
#[case::terraform("variable \"db_password\" {\n  default = \"‹v›\"\n}")]
#[case::password_file("db.example.test:5432:inventory:app:‹v›")]
#[case::password_file_of_any_host("*:*:*:postgres:‹v›")]
#[case::hash_in_password("https://bot:Ab#‹v›@pypi.example.test/simple")]
#[case::symbol(":rubygems_api_key: ‹v›")]
#[case::wpa("psk=\"‹v›\"")]
#[case::requirepass("requirepass ‹v›\nport 6379")]
#[case::lua("password = [[‹v›]]")]
#[case::identified_with("ALTER USER 'root'@'h' IDENTIFIED WITH mysql_native_password BY '‹v›';")]
#[case::identified_bare("CREATE USER app IDENTIFIED BY ‹v›;")]
#[case::insert("INSERT INTO users (name, password) VALUES ('a', '‹v›')")]
#[case::oracle("jdbc:oracle:thin:app/‹v›@db.example.test:1521/ORCL")]
#[case::separated("name,password,role\na,‹v›,admin\n")]
#[case::tabs("name\tpassword\trole\na\t‹v›\tadmin\n")]
#[case::bars("| user | password |\n|---|---|\n| robot | ‹v› |")]
#[case::beside("| password | ‹v› |")]
#[case::form("Content-Disposition: form-data; name=\"password\"\r\n\r\n‹v›\r\n--x")]
#[case::session("https://h.test/x;jsessionid=‹v›?a=1")]
#[case::genie("Authorization: GenieKey ‹v›")]
#[case::slash_flag("cmdkey /add:h /user:a /pass:‹v›")]
#[case::bundled_flags("curl -su bot:‹v› https://h.test/")]
#[case::httpie("http -a bot:‹v› GET h.test")]
#[case::store_password("keytool -list -keystore k.jks -storepass ‹v›")]
#[case::twine("twine upload -u __token__ -p ‹v› dist/x")]
#[case::logon("sqlplus app/‹v›@orcl")]
#[case::third_word("rabbitmqctl add_user a ‹v›")]
#[case::last_word("htpasswd -bc .htpasswd alice ‹v›")]
#[case::net_user("net user robot ‹v› /add")]
#[case::word_list("subprocess.run(['sshpass', '-p', '‹v›', 'ssh', 'h'])")]
#[case::piped("echo ‹v› | docker login -u bot --password-stdin r.test")]
#[case::piped_pair("echo \"root:‹v›\" | chpasswd")]
#[case::next_line("Password:\n‹v›\n")]
#[case::next_line_alone("Username\nrobot\nPassword\n‹v›\n")]
#[case::bold("**Password:** ‹v›")]
#[case::dash("password - ‹v›")]
#[case::pair("user/pass: robot / ‹v›")]
#[case::short("temp pw ‹v›")]
#[case::machine("root password on db1 is ‹v›")]
#[case::brackets("password of the router (admin): ‹v›")]
#[case::in_front("Please use ‹v› as the password.")]
#[case::brackets_in_prose("set the API key (‹v›) in the header")]
#[case::default_of_code("const pw = process.env.DB_PASSWORD || '‹v›';")]
#[case::default_of_rust("env::var(\"DB_PASSWORD\").unwrap_or(\"‹v›\".into())")]
#[case::default_of_spring("spring.datasource.password=${DB_PASSWORD:‹v›}")]
#[case::numbered("username admin password 7 ‹v›")]
#[case::wifi("WIFI:T:WPA;S:home;P:‹v›;;")]
#[case::user_of_url("https://__token__:‹v›@h.test/simple")]
#[case::body_flag("gh secret set DB_PASSWORD --body ‹v›")]
#[case::german("Das Passwort lautet ‹v›")]
#[case::french("le mot de passe est ‹v›")]
#[case::spanish("la contraseña es ‹v›")]
#[case::italian("la password è ‹v›")]
#[case::unsafe_tag("password: !unsafe '‹v›'\nport: 1")]
#[case::parameter("[{\"ParameterKey\":\"MasterPassword\",\"ParameterValue\":\"‹v›\"}]")]
#[case::attribute("<property name=\"a.ConnectionPassword\">‹v›</property>")]
#[case::name_and_value("<property><name>fs.s3a.secret.key</name><value>‹v›</value></property>")]
#[case::object_of_output("\"db_password\": {\"type\": \"string\", \"value\": \"‹v›\"}")]
#[case::random_password("{\"type\":\"random_password\",\"instances\":[{\"attributes\":{\"result\":\"‹v›\"}}]}")]
#[case::numbered_version("\"ses_smtp_password_v4\": \"‹v›\"")]
#[case::proxy("curl -x app:‹v›@proxy.example.test:3128 https://h.test")]
#[case::redis("redis-cli AUTH ‹v›")]
#[case::sshpass("SSHPASS=‹v› sshpass -e ssh h")]
#[case::unzip("unzip -P ‹v› a.zip")]
#[case::poetry("poetry publish -u bot -p ‹v›")]
#[case::poetry_config("poetry config http-basic.internal bot ‹v›")]
#[case::npm_config("npm config set _auth ‹v›")]
#[case::here_string("wrangler secret put API_TOKEN <<< \"‹v›\"")]
#[case::putty("plink -ssh -pw ‹v› bot@h")]
#[case::sudo("echo \"‹v›\" | sudo -S apt update")]
#[case::minio("mc alias set s3 https://h.test minioadmin ‹v›")]
#[case::sign_tool("signtool sign /f a.pfx /p ‹v› a.exe")]
#[case::community("snmp-server community ‹v› RO")]
#[case::sql_server("jdbc:sqlserver://h.test:1433;databaseName=inv;user=sa;password=‹v›;encrypt=true")]
#[case::braces("Driver={PostgreSQL};Server=db;Uid=app;Pwd={‹v›};Port=5432")]
#[case::go_source("app:‹v›@tcp(db.example.test:3306)/inv?parseTime=true")]
#[case::connection("DriverManager.getConnection(\"jdbc:h2:mem:a\", \"sa\", \"‹v›\")")]
#[case::other_port("localhost:5433:inv:app:‹v›")]
#[case::any_port("db.example.test:*:inv:app:‹v›")]
#[case::login("Login: robot / ‹v›")]
#[case::pair_of_arguments("requests.get(u, auth=(\"robot\", \"‹v›\"))")]
#[case::basic_of_arguments("HTTPBasicAuth('robot', '‹v›')")]
#[case::typed("cy.get('#password').type('‹v›')")]
#[case::sent("find_element(By.ID, \"password\").send_keys(\"‹v›\")")]
#[case::compared("assert_eq!(config.password, \"‹v›\");")]
#[case::generated("A temporary password is generated for root@localhost: ‹v›")]
#[case::arrow("password → ‹v›")]
#[case::swedish("Lösenordet är ‹v›")]
#[case::danish("Adgangskode: ‹v›")]
#[case::norwegian("Passordet er ‹v›")]
#[case::hungarian("jelszó: ‹v›")]
#[case::turkish("Şifreniz: ‹v›")]
#[case::indonesian("kata sandi: ‹v›")]
#[case::vietnamese("mật khẩu: ‹v›")]
#[case::russian("Пароль от сервера: ‹v›")]
#[case::russian_without_a_sign("ваш пароль ‹v›")]
#[case::greek("κωδικός: ‹v›")]
#[case::chinese("密码是 ‹v›")]
#[case::chinese_with_a_wide_sign("密碼：‹v›")]
#[case::japanese("パスワードは‹v›です")]
#[case::korean("비밀번호는 ‹v› 입니다")]
#[case::arabic("كلمة المرور: ‹v›")]
#[case::hebrew("סיסמה: ‹v›")]
#[case::hindi("पासवर्ड: ‹v›")]
#[case::thai("รหัสผ่าน: ‹v›")]
#[case::two_words_in_a_cell("| name | region |\n| DB admin password | ‹v› |")]
#[case::expect("expect \"assword:\" { send \"‹v›\" }")]
#[case::expect_in_lines("expect \"password:\"\nsend \"‹v›\"")]
#[case::obscure("rclone obscure ‹v›")]
#[case::hashing("openssl passwd -6 ‹v›")]
#[case::secret_of_containers("printf '%s' '‹v›' | docker secret create db_password -")]
#[case::vault_string("ansible-vault encrypt_string '‹v›' --name db_password")]
#[case::user_secrets("dotnet user-secrets set \"Db:Password\" \"‹v›\"")]
#[case::key_store("etcdctl --user root:‹v› get a")]
#[case::property_with_value("<property name=\"password\"><value>‹v›</value></property>")]
#[case::split_name("{\"pass_word\": \"‹v›\"}")]
#[case::short_at_the_start("see:\npw for staging: ‹v›")]
#[case::sentence_above("Please find the password below:\n\n‹v›\n\nRegards")]
#[case::future("The new password for the VPN will be ‹v› from Monday")]
#[case::sign_in("you can log in with admin / ‹v›")]
#[case::list_of_arguments("Cmd: [app, --password, ‹v›, --n]")]
#[case::mail_login("smtp.login(\"bot\", \"‹v›\")")]
fn a_password_is_hidden_in_every_notation(#[case] template: &str) {
    let value = random(MIXED, 12, 77).replacen(|_: char| true, "K7m", 1);
    let text = template.replace("‹v›", &value);
    let result = scrubbed(&text, assist());
    assert!(!result.contains(&value), "{result}");
    // Everything around the value stays: what was taken away is one stretch that holds it.
    let (head, tail) = text.split_once(&value).unwrap();
    let (kept_head, kept_tail) = result.split_once("[SECRET-1]").unwrap_or_else(|| panic!("{result}"));
    assert!(head.starts_with(kept_head) && tail.ends_with(kept_tail), "{result}");
    assert!(head.len() - kept_head.len() <= 5 && tail.len() - kept_tail.len() <= 1, "{result}");
}

#[rstest]
#[case("Backup codes:\n8f3a-91bc\n72de-04aa\n5c1f-e8d2\nKeep them.", 3)]
#[case("recovery codes: 48213-77120 11834-90215", 2)]
#[case("\"recovery_codes\": [\"8f3a91bc\", \"72de04aa\"]", 2)]
#[case("Use 482913 as your verification code", 1)]
#[case("2FA code: 482 913", 1)]
#[case("The door code is 4821#", 1)]
#[case("TOTP secret: JBSW Y3DP EHPK 3PXP", 1)]
#[case("MFA recovery code: 4afbc7f-bface1f", 1)]
#[case("Your one-time passcode is 482913.", 1)]
#[case("2FA: 482913", 1)]
#[case("puk: 48213377", 1)]
#[case("Zugangscode: 4821", 1)]
#[case("código de verificación: 482913", 1)]
#[case("votre code de vérification est 482913", 1)]
#[case("код подтверждения: 482913", 1)]
#[case("验证码：482913", 1)]
#[case("인증번호: 482913", 1)]
fn codes_for_one_use_are_hidden(#[case] text: &str, #[case] count: usize) {
    let result = Scrubber::new().scrub(&mut Vault::new(), text, assist()).unwrap();
    assert_eq!(result.found.len(), count, "{}", result.text);
}

#[rstest]
#[case("API-Schlüssel: ‹v›")]
#[case("Clé API : ‹v›")]
#[case("chave de API: ‹v›")]
#[case("ключ API: ‹v›")]
#[case("токен: ‹v›")]
#[case("令牌：‹v›")]
#[case("APIキー：‹v›")]
#[case("API 키: ‹v›")]
#[case("\"secrets\": {\"db\": \"‹v›\"}")]
#[case("SAMLResponse=‹v›&RelayState=home")]
#[case("csrfmiddlewaretoken=‹v›&name=x")]
#[case("<meta name=\"csrf-token\" content=\"‹v›\">")]
#[case("https://h.test/reset-password/‹v›")]
#[case("https://maker.ifttt.com/trigger/door/with/key/‹v›")]
#[case("‹v› is the API key")]
#[case("primaryKey: ‹v›")]
fn a_long_key_is_hidden_behind_its_name(#[case] template: &str) {
    let value = random(MIXED, 40, 78);
    assert_eq!(scrubbed(&template.replace("‹v›", &value), assist()), template.replace("‹v›", "[SECRET-1]"));
}

#[test]
fn a_private_key_is_hidden_in_a_diff_and_as_a_web_key() {
    let name = ["RSA ", "PRIVATE KEY-----"].concat();
    let lines: Vec<String> = (0..4).map(|line| random(MIXED, 64, 60 + line)).collect();
    for sign in ["+", "-", "> ", ""] {
        let key = format!("-----BEGIN {name}\n{}\n-----END {name}", lines.join("\n"));
        let text = key.lines().fold(String::new(), |text, line| text + sign + line + "\n");
        let result = scrubbed(&text, assist());
        assert!(lines.iter().all(|line| !result.contains(&line[..12])), "{sign:?}: {result}");
        let lower = scrubbed(&text.replace(&name, &name.to_lowercase()).replace("BEGIN", "begin"), assist());
        assert!(lines.iter().all(|line| !lower.contains(&line[..12])), "{sign:?}: {lower}");
    }
    let (private, public) = (random(MIXED, 86, 70), random(MIXED, 80, 71));
    let text = format!("{{\"kty\":\"RSA\",\"n\":\"{public}\",\"e\":\"AQAB\",\"d\":\"{private}\"}}");
    assert_eq!(scrubbed(&text, assist()), text.replace(&private, "[SECRET-1]"));
    let code = "{\"kty\": \"RSA\", \"d\": base64url_encode(force_bytes(d)).decode()}";
    assert_eq!(scrubbed(code, assist()), code);
}

#[rstest]
#[case("md5sum: 21d915dbd368fd9f485e0f3b9a8aedd2  a.tar.gz")]
#[case("export const selectToken = (state) => state.auth.token")]
#[case("passwd: files systemd")]
#[case("b64: TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNlY3RldHVy")]
#[case("secret_id = \"db-password\"")]
#[case("https://h.test/settings/password/the-way-to-a-good-one-2026")]
#[case("sudo -s\necho 'a1b2c3d4' | sudo -s")]
#[case("\"password\": {\"type\": \"string\", \"minLength\": 8}")]
#[case("пароль не задан")]
#[case("код 200, ключ id, 验证码错误")]
#[case("the password is 1234 characters long and must be alphanumeric")]
#[case("2FA is on; pin 13 is the LED; puk is none")]
#[case("primaryKey: user_id")]
#[case("logger.login(\"started\", \"finished\")")]
#[case("{\"kty\":\"RSA\",\"n\":\"hcIQT3os3ykwYwaaQLPF40EEUwOOGvyXZLOxPMotmmWADcKEGnNE5NZTOu7LiElX\",\"e\":\"AQAB\"}")]
#[case("key fingerprint is SHA256:TiDkp0wp0rwCxBvsIUnpDeqeavyhn85dBAHpOLcRabc")]
#[case("Subject Key Identifier: 9B:04:5D:1E:77:A0:3C:42:18:DE:66:91:0F:B3:C8:2A:71:5E:DD:90")]
#[case("密码错误")]
#[case("we met at example.com, look at github.com for it")]
#[case("password: INSERT_PASSWORD_HERE")]
#[case("api_key = \"your-api-key-here\"")]
#[case("password: %DB_PASSWORD%")]
#[case("val token: String?")]
#[case("fn verify(hash: &PasswordHash, password: &[u8]) -> bool")]
#[case("- secret: db-secret-v2")]
#[case("secret_arn = arn:aws:secretsmanager:eu-north-1:123456789012:secret:db-AbCdEf")]
#[case("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")]
#[case("\"missing_credential\": \"The list needs a key.\"")]
#[case("\"pass\": \"ARIA attribute is allowed.\"")]
#[case("PASS: test_login_2")]
#[case("pass: 12, fail: 0")]
#[case("ffmpeg --pass 2")]
#[case("pw = getpwnam (user);")]
#[case("use keys::{\n    X25519PrivateKey,\n    Ed25519PublicKey,\n};")]
#[case("| token | count |\n|---|---|\n| the | 48213 |")]
#[case("name,count\nfoo,12\nbar,48")]
#[case("token,count\nthe2,12\nand3,48")]
#[case("using key exchange: curve25519-sha256")]
#[case("writer.write_exact(&[token | size])?;")]
#[case("args: [\"--user=a\", \"--port=80\"]")]
#[case("WWW-Authenticate: Bearer realm=\"example\"")]
#[case("password=${DB_PASSWORD:?unset} ${API_TOKEN:0:8}")]
#[case("password: process.env.DB_PASSWORD ?? 'none',")]
#[case("call get_token(a1b2c3d4) and the password (see below)")]
#[case("let token = parse(x) || \"an empty 1\";")]
#[case("echo \"$PASSWORD\" | docker login -u bot --password-stdin")]
#[case("openssl s_client -connect h:443 -key k.pem")]
#[case("openssl aes-256-cbc -K $encrypted_ad59528ad8ea_key -in f")]
#[case("net use")]
#[case("htpasswd -c .htpasswd alice")]
#[case("curl -u \"$U\" https://h.test")]
#[case("Your code was merged in 4821")]
#[case("github.com/a/b v1.2.3 h1:Tz2a9QkR7nV4xW8cB1mL5pS0dF3gH6jK9yU2iO5eA8w=")]
#[case("sha256 = \"7jis888j1h9gs8hkvq5n1zfy4zkg28x4n8n240d0wcxz0d2f9vb8\";")]
#[case("recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p")]
#[case("_BOOT_ID=9b045d1e77a03c4218de66910fb3c82a")]
#[case("_ZN4core3fmt9Formatter3pad17h3f2a1b9c8d7e6f50E")]
#[case("public_key: MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A")]
#[case("ipfs QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG")]
fn what_is_no_secret_stays_in_both_modes(#[case] text: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), text);
    assert_eq!(scrubbed(text, assist()), text);
}

#[test]
fn a_doubled_quote_is_a_part_of_the_value() {
    assert_eq!(scrubbed("password: 'it''s-velvet7'\nport: 1", assist()), "password: '[SECRET-1]'\nport: 1");
    assert_eq!(scrubbed("T=\"\" password='a7velvet' next", assist()), "T=\"\" password='[SECRET-1]' next");
}

#[test]
fn an_argument_beside_a_hidden_one_stays() {
    let text = "args: [\"--password=velvet7otter\", \"--port=80\"]";
    assert_eq!(scrubbed(text, assist()), text.replace("velvet7otter", "[SECRET-1]"));
}

#[rstest]
#[case("kit @ example.org")]
#[case("kit@example(dot)org")]
#[case("kit{at}example{dot}org")]
#[case("kit <at> example <dot> org")]
fn a_mail_address_is_read_with_its_signs_apart(#[case] address: &str) {
    assert_eq!(scrubbed(&format!("to {address} now"), Exposure::pii()), "to [EMAIL-1] now");
}

#[rstest]
#[case("0044 20 7946 0018")]
#[case("08-123 456 78")]
#[case("03-1234-5678")]
#[case("(02) 9123 4567")]
#[case("(11) 91234-5678")]
#[case("8 (495) 123-45-67")]
#[case("030 / 901820")]
#[case("+1.415.555.0142")]
#[case("06-24312407")]
#[case("001-748-088-2851x818")]
fn a_telephone_number_is_read_in_the_grouping_of_its_country(#[case] number: &str) {
    assert_eq!(scrubbed(&format!("reach us: {number} daily"), Exposure::pii()), "reach us: [PHONE-1] daily");
}

#[rstest]
#[case("Phone:\n60-56-85-91", "Phone:\n[PHONE-1]")]
#[case("Tel. 901820", "Tel. [PHONE-1]")]
#[case("call me on 9472 7916", "call me on [PHONE-1]")]
#[case("Contact number: 4155550142", "Contact number: [PHONE-1]")]
#[case("Telefon: 912345678", "Telefon: [PHONE-1]")]
#[case("find me at 10 College Street", "find me at [ADDRESS-1]")]
fn a_label_says_what_a_number_is(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
}

#[test]
fn the_shortest_card_numbers_need_their_label() {
    let number = card("5018", 12);
    assert_eq!(scrubbed(&format!("the limit of card # {number} is"), assist()), "the limit of card # [CARD-1] is");
    assert_eq!(scrubbed(&format!("order {number} is"), assist()), format!("order {number} is"));
}

#[rstest]
#[case("call stack 4821397")]
#[case("the phone\n12345678")]
#[case("card 123456789012")]
#[case("ring 0 4155550")]
#[case("08-12-2026 10 30")]
#[case("0010 1234 5678 9012")]
#[case("latency 59.3293 ms")]
#[case("location: 12.3456")]
#[case("policy_id: allow-all-2026")]
#[case("Copyright 2002, 2003 Codefactory")]
#[case("August 26, 2011 Darrick")]
#[case("RFC 7231 section 6.5.1, and RFC: 8259")]
#[case("sin (x) 123 and pan 12 and nie wieder 5")]
#[case("dana-at-the-example-dot-of-2026")]
#[case("Hallo Welt!")]
#[case("customer: Acme Corp")]
#[case("Thanks\nChangelog\n")]
#[case("zip: 7 files, zip archive 12345")]
fn what_looks_like_a_person_or_a_number_stays(#[case] text: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), text);
}

#[rstest]
#[case::india("Aadhaar: ‹v›", "2345 6789 0124")]
#[case::india_tax("PAN: ‹v›", "ABCPE1234F")]
#[case::brazil("CPF: ‹v›", "529.982.247-25")]
#[case::spain("DNI ‹v›", "12345678Z")]
#[case::italy("codice fiscale ‹v›", "RSSMRA85T10A562S")]
#[case::germany("Steueridentifikationsnummer ‹v›", "86 095 742 719")]
#[case::sweden("personnummer ‹v›", "811218-9876")]
#[case::poland("PESEL: ‹v›", "44051401359")]
#[case::switzerland("AHV: ‹v›", "756.9217.0769.85")]
#[case::france("numéro de sécurité sociale: ‹v›", "294037512000591")]
#[case::mexico("CURP: ‹v›", "GODE561231HDFRRN09")]
#[case::singapore("NRIC: ‹v›", "S1234567D")]
#[case::canada("SIN: ‹v›", "046 454 286")]
#[case::employer("EIN: ‹v›", "12-3456789")]
#[case::device("IMEI: ‹v›", "490154203237518")]
#[case::licence("driving licence ‹v›", "MORGA657054SM9IJ")]
#[case::member("member ID ‹v›", "XYZ123456789")]
#[case::bank("BLZ ‹v›", "37040044")]
#[case::account("bank account ‹v›", "000123456789")]
#[case::sort_code("sort code ‹v› for all", "12-34-56")]
fn an_identifier_of_a_country_is_hidden_behind_its_label(#[case] template: &str, #[case] value: &str) {
    let result = scrubbed(&template.replace("‹v›", value), assist());
    assert!(!result.contains(value), "{result}");
    let (head, tail) = template.split_once("‹v›").unwrap();
    assert!(result.starts_with(head) && result.ends_with(tail), "{result}");
}

#[rstest]
#[case("Geburtsdatum: 04.03.1988")]
#[case("geboren am 4. März 1988")]
#[case("né le 4 mars 1988")]
#[case("fecha de nacimiento: 04/03/1988")]
#[case("data di nascita: 4 marzo 1988")]
#[case("\"dateOfBirth\":\"1988-03-04\"")]
#[case("date of birth (dd/mm/yyyy): 04/03/1988")]
#[case("d/o/b 03/04/1988")]
fn a_day_of_birth_is_hidden_in_other_words(#[case] text: &str) {
    let result = scrubbed(text, assist());
    assert!(result.contains("[DOB-1]") && !result.contains("1988"), "{result}");
}

#[test]
fn numbers_with_a_checksum_are_hidden_in_more_groupings() {
    let cards = [card("2200", 16), card("4539", 16), card("3742", 15), card("3054", 14)];
    for number in &cards {
        assert_eq!(scrubbed(&format!("paid with {number} today"), assist()), "paid with [CARD-1] today");
        let spaced: Vec<String> = number.chars().map(String::from).collect();
        assert_eq!(scrubbed(&format!("card {} x", spaced.join(" ")), assist()), "card [CARD-1] x");
    }
    let track = format!("%B{}^ODUYA/DANA^2909101?", cards[1]);
    assert!(!scrubbed(&track, assist()).contains(&cards[1]));
    for (country, account) in
        [("NO", "86011117947"), ("FR", "20041010050500013M02606"), ("GR", "01101250000000012300695")]
    {
        let number = iban(country, account);
        assert_eq!(scrubbed(&format!("pay {number} now"), assist()), "pay [ACCOUNT-1] now");
    }
}

#[rstest]
#[case("ship to 12-14 Station Road, Oxford OX1 1HS", "ship to [ADDRESS-1]")]
#[case("Am Markt 5, 28195 Bremen", "[ADDRESS-1]")]
#[case("Keizersgracht 123, 1015 CJ Amsterdam", "[ADDRESS-1]")]
#[case("zip code: 97301", "zip code: [ADDRESS-1]")]
#[case("postcode: SW1A 2AA", "postcode: [ADDRESS-1]")]
fn addresses_are_hidden_in_other_notations(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
}

#[rstest]
#[case("Name: Faro, Ines", "Name: [PERSON-1]")]
#[case("From: \"Faro, Ines\" <kit@example.org>", "From: \"[PERSON-1]\" <[EMAIL-1]>")]
#[case("Reported by: Ines Faro", "Reported by: [PERSON-1]")]
#[case(" * @author Ines Faro", " * @author [PERSON-1]")]
#[case("Vorname: Ines, Nachname: Faro", "Vorname: [PERSON-1], Nachname: [PERSON-2]")]
#[case("Mit freundlichen Grüßen\nInes Faro", "Mit freundlichen Grüßen\n[PERSON-1]")]
#[case("Patient: Nguyễn Văn An", "Patient: [PERSON-1]")]
#[case("Name: Иван Петров", "Name: [PERSON-1]")]
fn names_are_hidden_in_other_notations(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
}

#[rstest]
#[case("host 10.20.30.40 up", "host [PII-1] up")]
#[case("host 192.168.1.23 up", "host [PII-1] up")]
#[case("host 172.16.4.9 up", "host [PII-1] up")]
#[case("host 100.64.12.9 up", "host [PII-1] up")]
#[case("host fd12:3456:789a:1::1 up", "host [PII-1] up")]
#[case("host fe80::1c2d:3e4f:5a6b:7c8d up", "host [PII-1] up")]
#[case("ip-10-20-30-40.internal", "ip-[PII-1].internal")]
fn the_address_of_one_machine_in_a_private_network_is_hidden(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
    assert_eq!(scrubbed(text, assist()), text);
}

#[rstest]
#[case("127.0.0.1 0.0.0.0 255.255.255.0 224.0.0.251 169.254.169.254")]
#[case("10.0.0.0/8 172.16.0.0/12 192.168.0.128/25 fc00::/7 fe80::/10 fe80::1%lo0 ::1")]
#[case("\"version\": \"10.1.2.3\", AssemblyVersion(\"10.0.0.0\"), section 10.2.3.4, firmware 10.2.3.4")]
fn the_address_of_no_machine_stays(#[case] text: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), text);
}

#[test]
fn strict_about_numbers_ten_bare_digits_are_a_telephone_number() {
    let strict = Scrubber::new().with_strict_numbers(true);
    let scrub = |text: &str, exposure| strict.scrub(&mut Vault::new(), text, exposure).unwrap().text.into_owned();
    for (text, expected) in [
        ("order 4155550199 shipped", "order [PHONE-1] shipped"),
        ("to 14155550199.", "to [PHONE-1]."),
        ("{\"n\": 4155550199}", "{\"n\": [PHONE-1]}"),
        ("４１５５５５０１９９", "[PHONE-1]"),
    ] {
        assert_eq!(scrub(text, Exposure::pii()), expected);
        // Who is not strict needs a word that says so, and an open identity stays open.
        assert_eq!(scrubbed(text, Exposure::pii()), text);
        assert_eq!(scrub(text, assist()), text);
    }
    for text in [
        "at 1764444000",
        "id 415555019900",
        "part 4155550199-B",
        "v4155550199",
        "a/4155550199/b",
        "0.4155550199",
        "110bcd25-4155-453a-8046-415555014299",
    ] {
        assert_eq!(scrub(text, Exposure::pii()), text);
    }
    let loose = Scrubber::new().with_strict_numbers(false);
    assert_eq!(loose.scrub(&mut Vault::new(), "4155550199", Exposure::pii()).unwrap().text, "4155550199");
}

#[rstest]
#[case("Prof. Dr. Klaus Wiedemann will speak", "Prof. Dr. [PERSON-1] will speak")]
#[case("Sra. Carmen Ruiz and Sr. Pablo Ortega", "Sra. [PERSON-1] and Sr. [PERSON-2]")]
#[case("Sr. Engineer wanted", "Sr. Engineer wanted")]
#[case("Nom : Dubois", "Nom : [PERSON-1]")]
#[case("dana at example.com is my address", "[EMAIL-1] is my address")]
#[case("VAT: DE136695976 ok", "VAT: [ID-1] ok")]
#[case("VAT 20% of 12345678 items", "VAT 20% of 12345678 items")]
#[case("passeport n° 12AB34567 ok", "passeport n° [ID-1] ok")]
#[case("Führerschein: B072RRE2I55 ok", "Führerschein: [ID-1] ok")]
#[case("ss number 078 05 1120 ok", "ss number [SSN-1] ok")]
#[case("patient id P-00421 ok", "patient id [ID-1] ok")]
#[case("Postfach 1234, ok", "[ADDRESS-1], ok")]
#[case("né(e) le 3 mai 1979 ok", "né(e) le [DOB-1] ok")]
fn people_and_their_numbers_are_hidden_in_more_languages(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
}

#[rstest]
#[case("ROOT_PW=‹v›\nPORT=8080", "correcthorse")]
#[case("config.set('LDAP_BIND_PW', '‹v›')", "p@ssMJ9J")]
#[case("GRAFANA_ADMIN_PASSWORD=‹v›", "p@ss")]
#[case("ALTER USER app WITH PASSWORD '‹v›';", "monkey")]
#[case("CREATE ROLE app LOGIN PASSWORD '‹v›';", "Zx9!k")]
#[case("keytool -list -keystore ks.jks -storepass ‹v›", "Zx9!k")]
#[case("machine h.example.test login robot password ‹v›", "Zx9!k")]
#[case("sudo -S <<< '‹v›' ls", "Fjord-Lantern7")]
#[case("ncat --ssl --proxy-auth u:‹v› host 80", "Fjord-Lantern7")]
#[case("rclone config create r webdav user app pass ‹v›", "Fjord-Lantern7")]
#[case("WiFi key: ‹v›", "Kestrel19")]
#[case("pass: ‹v›", "hunter2")]
#[case("user: app, pass: ‹v›", "ab-cd-77-ef")]
#[case("user: app, pass: ‹v›", "12345678")]
#[case("pw: ‹v›", "12345678")]
#[case("use password ‹v› to log in", "12345678")]
#[case("I set the password to ‹v› yesterday", "12345678")]
#[case("password → ‹v›", "12345678")]
#[case("password (‹v›) leaked", "x9K!w2")]
#[case("Authorization: OAuth ‹v›", "exAN7dBhfmN5wZPdFDFh2Ko4LCKDtROPWJe0Ye7s")]
#[case("deploy_token: ‹v›\ntimeout: 30", "AwdAOfZLKWTO")]
#[case("your code is ‹v›", "482913")]
#[case("wallet mnemonic (12 words): ‹v›", "legal winner thank year wave sausage worth useful")]
fn credentials_are_hidden_in_their_everyday_forms(#[case] template: &str, #[case] value: &str) {
    let text = template.replace("‹v›", value);
    assert_eq!(scrubbed(&text, assist()), template.replace("‹v›", "[SECRET-1]"));
}

#[rstest]
#[case("password: expected string, received null")]
#[case("password: field required")]
#[case("password: can't be blank")]
#[case("password: ensure this value has at least 8 characters")]
#[case("Password: does not match")]
#[case("password: *string")]
#[case("token: QString")]
#[case("api_key: projects/p/secrets/s/versions/latest")]
#[case("\"forgotPassword\": \"Forgot your password?\"")]
#[case("\"password\": \"Mot de passe\",")]
#[case("'password' => 'required|min:8'")]
#[case("if password == other:")]
#[case("img_pw=1024 pw = 1920")]
#[case("pass: 12 fail: 3\npass: login_test_2\nPass: test12")]
#[case("bad password 12 times, password attempts 3 of 5")]
#[case("ALTER USER app WITH PASSWORD 'changeme'")]
#[case("Access denied for user 'app'@'localhost' (using password: YES)")]
#[case("password (optional), password (min 8), password (8-64 chars)")]
#[case("token: HTTPServerURL, secret: MyAppSecretName, apiKey: IOSAppURLBuilder")]
#[case("Ciphers aes256-gcm@openssh.com")]
#[case("ssh -T git@github.com")]
#[case("camellia128-set-encrypt-key.c camellia256-set-encrypt-key.c")]
#[case("[the authorization specification](https://example.test/spec/2026-07-28/basic)")]
#[case("npm i x@10.0.0.1 face.cafe.beef 2026.1129.1200")]
#[case("call 12345678 times, system call 231, call 2026-11-29 10:00")]
#[case("My name is required")]
#[case("your code is broken, exit code 4096")]
fn what_only_speaks_of_credentials_and_people_stays(#[case] text: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), text);
    assert_eq!(scrubbed(text, assist()), text);
}

#[test]
fn a_value_behind_an_escaped_break_of_a_line_is_hidden_and_the_escape_stays() {
    let token = format!("{}{}", "glpat-", random(MIXED, 20, 60));
    let key = format!("{}{}", "AKIA", random(UPPER, 16, 61));
    let signed = format!("{}.{}.{}", "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTYifQ", random(MIXED, 43, 62));
    let card = card("4544", 16);
    let account = iban("DE", "370400440532013000");
    let values = [
        (token.as_str(), "SECRET"),
        (&key, "SECRET"),
        (&signed, "SECRET"),
        (&card, "CARD"),
        (&account, "ACCOUNT"),
        ("kit@example.org", "EMAIL"),
        ("415-555-0142", "PHONE"),
        ("(415) 555-0142", "PHONE"),
        ("219-09-9999", "SSN"),
        ("203.0.113.77", "PII"),
        ("2001:db8:85a3::8a2e:370:7334", "PII"),
        ("aa:bb:cc:00:11:22", "PII"),
        ("aabb.cc00.1122", "PII"),
        ("77 Harbor View Road", "ADDRESS"),
        ("PO Box 4471", "ADDRESS"),
    ];
    for (value, kind) in values {
        for escape in ["\\n", "\\r\\n", "\\t"] {
            let line = |value: &str| format!("{{\"log\": \"a{escape}{value}{escape}b\"}}");
            assert_eq!(scrubbed(&line(value), Exposure::pii()), line(&format!("[{kind}-1]")), "{value}");
        }
    }
    for (text, expected) in [
        (r#""a\nMr Dana Oduya\nb""#, r#""a\nMr [PERSON-1]\nb""#),
        (r#""a\nPatient: Ines Faro\nb""#, r#""a\nPatient: [PERSON-1]\nb""#),
        (r#""a\nDana Oduya <kit@example.org>""#, r#""a\n[PERSON-1] <[EMAIL-1]>""#),
        (
            r#""Dear Tomasz,\nthanks.\n\nBest,\nIngrid Halvorsen""#,
            r#""Dear [PERSON-1],\nthanks.\n\nBest,\n[PERSON-2]""#,
        ),
        (r#""a\tcurl -u robot:Tr0ub4dor-e107 x""#, r#""a\tcurl -u robot:[SECRET-1] x""#),
        ("请拨打415-555-0142联系", "请拨打[PHONE-1]联系"),
        ("😀415-555-0142😀 →219-09-9999", "😀[PHONE-1]😀 →[SSN-1]"),
        ("**415-555-0142**", "**[PHONE-1]**"),
        ("+77 Harbor View Road\n ctx", "+[ADDRESS-1]\n ctx"),
        ("C:\\new\\test\\run.txt", "C:\\new\\test\\run.txt"),
    ] {
        assert_eq!(scrubbed(text, Exposure::pii()), expected);
    }
}

#[rstest]
#[case("My name is Ingrid Halvorsen.", "My name is [PERSON-1].")]
#[case("signed by Aoife Byrne", "signed by [PERSON-1]")]
#[case("name: Nguyễn Văn An", "name: [PERSON-1]")]
#[case("customer: 山田太郎", "customer: [PERSON-1]")]
#[case("Contact +4915123456789\nnext", "Contact [PHONE-1]\nnext")]
#[case("call 0151 23456789", "call [PHONE-1]")]
#[case("call 912 345 678 now", "call [PHONE-1] now")]
#[case("ul. Marszałkowska 10, 00-590 Warszawa", "[ADDRESS-1]")]
#[case("6 St. James's Square", "[ADDRESS-1]")]
#[case("GPO Box 1234, ok", "[ADDRESS-1], ok")]
#[case("ssh root@203.0.113.77", "ssh root@[PII-1]")]
#[case("nacido el 3 de mayo de 1979", "nacido el [DOB-1]")]
#[case("data urodzenia: 04.03.1988", "data urodzenia: [DOB-1]")]
#[case("número de cuenta: 00482213778", "número de cuenta: [ACCOUNT-1]")]
#[case("Konto-Nr. 0532013000", "Konto-Nr. [ACCOUNT-1]")]
#[case("Sozialversicherungsnummer: 15070649C103", "Sozialversicherungsnummer: [ID-1]")]
#[case("Steuernummer 93815/08152", "Steuernummer [ID-1]")]
#[case("AVS 756.9217.0769.85", "AVS [ID-1]")]
#[case("USCIS # A123-456-789", "USCIS # [ID-1]")]
#[case("Kennzeichen: B-AB 1234", "Kennzeichen: [ID-1]")]
#[case("customer number K-4471882", "customer number [ID-1]")]
fn people_are_found_in_the_everyday_forms_of_more_countries(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text, Exposure::pii()), expected);
}

#[rstest]
#[case("DriverManager.getConnection(url, \"app\", \"‹v›\")", "blue42moon")]
#[case(".basic_auth(\"robot\", Some(\"‹v›\"))", "blue42moon")]
#[case("SET PASSWORD FOR 'app'@'localhost' = '‹v›';", "hunter2")]
#[case("SET PASSWORD = PASSWORD('‹v›');", "qwertz")]
#[case("CREATE LOGIN app WITH PASSWORD = N'‹v›';", "qwertz")]
#[case("password (staging): ‹v›", "hunter2")]
#[case("requirepass ‹v›\nport 6379", "qwertz")]
#[case("#define DB_PASSWORD \"‹v›\"", "qwertz")]
#[case("define('DB_PASSWORD', '‹v›');", "qwertz")]
#[case("ansible_ssh_pass: ‹v›", "qwertz")]
fn plain_words_are_hidden_where_a_password_stands(#[case] template: &str, #[case] value: &str) {
    let text = template.replace("‹v›", value);
    assert_eq!(scrubbed(&text, assist()), template.replace("‹v›", "[SECRET-1]"));
}
