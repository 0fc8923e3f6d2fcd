//! Parser for coordinate reference systems in well-known text (WKT), limited to the parts that a
//! heightmap needs.

/// Upper bound on the nesting depth of a well-known text; texts of real coordinate systems need a
/// depth of six.
const DEEPEST: usize = 16;

/// Node `KEYWORD["name", 1.0, CHILD[…], …]` of a well-known text: keyword, texts, numbers and child
/// nodes.
#[derive(Debug, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) keyword: &'a str,
    /// Quoted strings and unquoted words of the node, in the order of the text.
    pub(super) texts: Vec<&'a str>,
    pub(super) numbers: Vec<f64>,
    pub(super) children: Vec<Node<'a>>,
}

impl<'a> Node<'a> {
    /// Parses the first top-level node of `text`, because ArcGIS writes separate nodes for the
    /// horizontal and the vertical system. `None` if `text` is not valid.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (node, rest) = parse_node(text.trim_start(), 0)?;
        let rest = rest.trim_start();
        (rest.is_empty() || rest.starts_with(',')).then_some(node)
    }

    pub(super) fn is(&self, keywords: &[&str]) -> bool {
        keywords
            .iter()
            .any(|keyword| self.keyword.eq_ignore_ascii_case(keyword))
    }

    /// Returns the first child node whose keyword is in `keywords`; `None` if no child has such a
    /// keyword.
    pub(super) fn child(&self, keywords: &[&str]) -> Option<&Self> {
        self.children.iter().find(|child| child.is(keywords))
    }

    /// Returns the first node among the descendants of this one, depth first, whose keyword is in
    /// `keywords`; `None` if no descendant has such a keyword.
    pub(super) fn below(&self, keywords: &[&str]) -> Option<&Self> {
        self.children.iter().find_map(|child| {
            if child.is(keywords) {
                Some(child)
            } else {
                child.below(keywords)
            }
        })
    }

    /// Returns the value of the child node `PARAMETER["name", value]` whose name equals `name`
    /// after normalisation by `plain`; `None` if no child has this name.
    pub(super) fn parameter(&self, name: &str) -> Option<f64> {
        let named = |node: &&Self| {
            node.texts
                .first()
                .is_some_and(|text| plain(text) == plain(name))
        };
        self.children
            .iter()
            .filter(|child| child.is(&["PARAMETER"]))
            .find(named)?
            .numbers
            .first()
            .copied()
    }
}

/// Returns `name` in normalised form: lower case, only letters and digits. Used because programs
/// differ in blanks and underscores.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn parse_node(text: &str, depth: usize) -> Option<(Node<'_>, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (keyword, rest) = text.split_at(end);
    if keyword.is_empty() || depth > DEEPEST {
        return None;
    }
    let mut rest = rest.trim_start().strip_prefix(['[', '('])?.trim_start();
    let mut node = Node {
        keyword,
        texts: Vec::new(),
        numbers: Vec::new(),
        children: Vec::new(),
    };
    loop {
        rest = parse_value(rest, depth, &mut node)?.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return Some((node, rest.strip_prefix([']', ')'])?)),
        }
    }
}

/// Parses one value (text, number or child node at the nesting depth `depth`) into `node`. Returns
/// the rest of `text`; `None` if the text is not valid.
fn parse_value<'a>(text: &'a str, depth: usize, node: &mut Node<'a>) -> Option<&'a str> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (inside, rest) = quoted.split_once('"')?;
        node.texts.push(inside);
        return Some(rest);
    }
    let end = text.find([',', '[', '(', ']', ')'])?;
    if text[end..].starts_with(['[', '(']) {
        let (child, rest) = parse_node(text, depth + 1)?;
        node.children.push(child);
        return Some(rest);
    }
    let (word, rest) = text.split_at(end);
    match word.trim().parse() {
        Ok(number) => node.numbers.push(number),
        Err(_) => node.texts.push(word.trim()),
    }
    Some(rest)
}
