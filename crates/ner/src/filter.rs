//! From groups to entities: what the network marks although it says nothing about anybody is left out, and what it
//! marks in part is completed.
//!
//! The network was trained on letters and forms. In the output of tools it takes counters for house numbers, digests
//! for passports, and words of programs for names. What is left out here has the look of a program's text: it is glued to
//! one, it is ordinary language, or it has no word that announces it.

mod context;

use crate::entity::{Entity, EntityKind};
use crate::gate::is_stamp;
use crate::join::Group;
use crate::label::Label;
use crate::words::{is_ordinary, is_street, is_suffix, is_unit};
use context::Context;

/// How sure the network has to be of a name in small letters when the text around has capitals.
const SURE: f32 = 0.9;
/// Words of a text that is written without capitals throughout, and not a command.
const LEAST_WORDS: usize = 4;
/// How sure it has to be of an address without a street.
const LIKELY: f32 = 0.5;
/// How far two parts of an address stand apart at most, in bytes.
const WIDEST_ADDRESS_GAP: usize = 24;

const STREET: &[Label] = &[Label::StreetName];
const PLACE: &[Label] = &[Label::City, Label::State];

/// The entities of a text among the groups of it.
pub(crate) fn keep_private(text: &str, groups: Vec<Group>) -> Vec<Entity> {
    let context = Context::new(text);
    let mut kept: Vec<Group> = Vec::with_capacity(groups.len());
    for mut group in context.without_placeholders(groups) {
        let is_kept = match group.kind {
            EntityKind::Person => is_name(&context, &group),
            EntityKind::Address | EntityKind::Place => is_address_part(&context, &group),
            EntityKind::Phone => is_phone(&context, &group),
            EntityKind::Email if !context.of(&group).contains('@') => {
                // A name in front of a mail address is taken for a part of it.
                group.kind = EntityKind::Person;
                context.of(&group).starts_with(char::is_uppercase) && is_name(&context, &group)
            }
            // `git@host:path` is a place of a program.
            EntityKind::Email => context.of(&group).contains('.') && !context.text[group.end..].starts_with(':'),
            EntityKind::Account | EntityKind::TaxId | EntityKind::Id => {
                // The network takes the telephone numbers of some countries for something else.
                let is_phone = is_announced_phone(&context, &group);
                group.kind = if is_phone { EntityKind::Phone } else { group.kind };
                is_phone || is_number(&context, &group)
            }
        };
        if !is_kept {
            continue;
        }
        let floor = kept.last().map_or(0, |last| last.end);
        match group.kind {
            EntityKind::Person => complete_name(&context, &mut group),
            EntityKind::Phone => complete_phone(&context, &mut group, floor),
            EntityKind::Address => complete_address(&context, &mut group, floor),
            _ => {}
        }
        match kept.last_mut() {
            // A name that was completed may reach over the next group.
            Some(last) if group.start < last.end => last.end = last.end.max(group.end),
            Some(last) if goes_on(&context, last, &group) => last.absorb(&group),
            _ => kept.push(group),
        }
    }
    kept.retain(|group| group.kind != EntityKind::Address || is_whole_address(&context, group));
    let entities = kept.iter().map(|group| {
        let is_place = group.kind == EntityKind::Address && group.has_only(PLACE) && !context.has_digit(group);
        let kind = if is_place { EntityKind::Place } else { group.kind };
        Entity { start: group.start, end: group.end, kind, score: group.score() }
    });
    entities.collect()
}

fn is_name(context: &Context<'_>, group: &Group) -> bool {
    let value = context.of(group);
    if context.has_digit(group) || context.is_technical(group) || is_ordinary_throughout(value) {
        return false;
    }
    let letters = value.chars().filter(|character| character.is_alphabetic()).count();
    letters >= 2 && !is_acronym(context, group) && (value.contains(char::is_uppercase) || is_plain(context, group))
}

/// One word in capitals, in a text that is not written so and does not call it a name.
fn is_acronym(context: &Context<'_>, group: &Group) -> bool {
    const LABELS: &[&str] =
        &["name", "names", "customer", "patient", "mr", "mrs", "ms", "dr", "miss", "dear", "author"];
    let value = context.of(group);
    value.is_ascii()
        && !value.contains(|character: char| character.is_lowercase() || character.is_whitespace())
        && context.text.contains(char::is_lowercase)
        && !context.is_announced(group, LABELS)
}

/// A value without capitals, in a text that is written so or of which the network is sure.
fn is_plain(context: &Context<'_>, group: &Group) -> bool {
    let value = context.of(group);
    // Scripts without capitals.
    let has_case = value.chars().any(char::is_lowercase);
    !has_case
        || (context.is_prose(group)
            && (!(context.has_capitals || context.words < LEAST_WORDS) || group.score() >= SURE)
            && !words(value).any(is_ordinary))
}

fn is_address_part(context: &Context<'_>, group: &Group) -> bool {
    if context.is_technical(group) {
        return false;
    }
    let value = context.of(group);
    if !value.contains(char::is_alphabetic) {
        return true;
    }
    let is_ordinary = is_ordinary_throughout(value);
    let has_street = group.has(STREET) && (words(value).any(is_street) || (context.has_digit(group) && !is_ordinary));
    if (is_ordinary || group.score() < LIKELY) && !has_street {
        return false;
    }
    value.contains(char::is_uppercase) || has_street || is_plain(context, group)
}

/// An address has a word; a number alone is one when the text says so.
fn is_whole_address(context: &Context<'_>, group: &Group) -> bool {
    let value = context.of(group);
    let letters = value.chars().filter(|character| character.is_alphabetic()).count();
    match (letters, digits_of(value).0) {
        (..=1, 4..) => context.is_announced(group, &["zip", "postal", "postcode", "plz", "address", "box", "code"]),
        (..=1, _) => false,
        // `CO` and `L5` alone are no place.
        (..=3, ..=2) => !value.is_ascii(),
        _ => true,
    }
}

fn is_phone(context: &Context<'_>, group: &Group) -> bool {
    let value = context.of(group);
    let (digits, groups) = digits_of(value);
    // One digit after the other is a row of a table.
    let is_grouped = groups > 1 && digits >= 2 * groups;
    let is_written_so = value.starts_with(['+', '(']) || (is_grouped && (groups > 2 || group.score() >= SURE));
    (is_written_so
        && !is_stamp(value)
        && !(is_row_like(value) && context.is_in_row(group))
        && may_be_phone(context, group))
        || is_announced_phone(context, group)
}

fn is_announced_phone(context: &Context<'_>, group: &Group) -> bool {
    const LABELS: &[&str] = &[
        "answering",
        "call",
        "cell",
        "contact",
        "desk",
        "dial",
        "fax",
        "handy",
        "messages",
        "mobile",
        "office",
        "phone",
        "reach",
        "registered",
        "ring",
        "sms",
        "tel",
        "telefon",
        "telephone",
        "text",
        "whatsapp",
    ];
    const BEHIND: &[&str] = &["cell", "fax", "home", "mobile", "office", "work"];
    may_be_phone(context, group) && (context.is_announced(group, LABELS) || context.is_followed(group, BEHIND))
}

fn may_be_phone(context: &Context<'_>, group: &Group) -> bool {
    let value = context.of(group);
    (7..=17).contains(&digits_of(value).0) && !value.contains("  ") && !context.is_in_program(group)
}

/// Numbers of any length with blanks between, which the columns of a table are too.
fn is_row_like(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
}

/// How many digits a value has, and in how many groups.
fn digits_of(value: &str) -> (usize, usize) {
    let groups = value.split(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty());
    groups.fold((0, 0), |(digits, groups), group| (digits + group.len(), groups + 1))
}

fn is_number(context: &Context<'_>, group: &Group) -> bool {
    const LABELS: &[&str] = &[
        "account",
        "acct",
        "bank",
        "card",
        "cc",
        "credit",
        "debit",
        "driver",
        "drivers",
        "iban",
        "insurance",
        "licence",
        "license",
        "maestro",
        "mastercard",
        "member",
        "national",
        "passport",
        "patient",
        "personal",
        "policy",
        "routing",
        "security",
        "social",
        "ssn",
        "student",
        "tax",
        "tin",
        "vat",
        "visa",
    ];
    digits_of(context.of(group)).0 >= 5 && !context.is_technical(group) && context.is_announced(group, LABELS)
}

/// A name goes on in what the network did not see: initials, a family name behind a first name, a suffix.
fn complete_name(context: &Context<'_>, group: &mut Group) {
    let last = context.of(group).rsplit([' ', '.']).next().unwrap_or_default();
    if group.has_only(&[Label::GivenName]) || is_initial(last) {
        let initial = context.word_behind(group.end, " ").filter(|(word, _)| is_initial(word));
        let from = context.behind_mark(initial.map_or(group.end, |(_, end)| end), '.');
        let family = context.word_behind(from, " ").filter(|(word, end)| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase)
                && letters.next().is_some_and(char::is_lowercase)
                && word.chars().all(|character| character.is_alphabetic() || character == '-')
                && !is_ordinary(word)
                && !is_street(word)
                && !context.is_glued(*end)
        });
        if let Some((_, end)) = family {
            group.end = end;
        }
    }
    let suffix = context.word_behind(group.end, " ").or_else(|| context.word_behind(group.end, ", "));
    if let Some((_, end)) = suffix.filter(|(word, _)| is_suffix(word)) {
        group.end = end;
    }
}

fn is_initial(word: &str) -> bool {
    word.chars().count() == 1 && word.chars().all(char::is_uppercase)
}

/// A telephone number begins with the code of its country, and ends with an extension.
fn complete_phone(context: &Context<'_>, group: &mut Group, floor: usize) {
    let code = context
        .word_before(group.start)
        .filter(|(word, start)| *start > floor && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some((_, start)) = code
        && context.text[..start].ends_with('+')
    {
        group.start = start - 1;
    }
    let rest = context.text.get(group.end..).unwrap_or_default();
    if let Some(extension) = rest.strip_prefix('x') {
        let digits = extension.bytes().take_while(u8::is_ascii_digit).count();
        group.end += if digits > 0 { digits + 1 } else { 0 };
    }
}

/// An address begins with the number of the house, and with the word in front of a number.
fn complete_address(context: &Context<'_>, group: &mut Group, floor: usize) {
    for _ in 0..3 {
        let Some((word, start)) = context.word_before(group.start).filter(|(_, start)| *start >= floor) else { return };
        let is_number = word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_digit());
        let begins_with_digit = context.text[group.start..].starts_with(|first: char| first.is_ascii_digit());
        let is_part = (is_number && group.has(STREET)) || (begins_with_digit && is_unit(word));
        if !is_part {
            return;
        }
        group.start = start;
    }
}

/// Whether two groups are one name or one address, by what stands between them.
fn goes_on(context: &Context<'_>, last: &Group, next: &Group) -> bool {
    if last.kind == EntityKind::Person && next.kind == EntityKind::Person {
        return context.text.get(last.end..next.start) == Some(" ");
    }
    if last.kind != EntityKind::Address || next.kind != EntityKind::Address {
        return false;
    }
    let gap = context.text.get(last.end..next.start).unwrap_or_default();
    gap.len() <= WIDEST_ADDRESS_GAP
        && words(gap).all(is_unit)
        && gap.chars().all(|character| character.is_alphanumeric() || " ,.-/#:;\n\t\r()'>?*".contains(character))
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty())
}

fn is_ordinary_throughout(value: &str) -> bool {
    words(value).all(is_ordinary)
}
