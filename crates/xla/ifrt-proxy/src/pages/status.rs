//! The page of what the server is doing, without a script and without anything from elsewhere.

use std::fmt::{self, Display, Write as _};
use std::time::Duration;

use crate::view::{PluginView, ServerView, SessionView};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(server: &ServerView) -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>unskew serve</title>\n<style>\n",
    );
    page.push_str(STYLE);
    page.push_str("</style>\n</head>\n<body>\n<main>\n");
    // Writing to a text does not fail; so for the functions below.
    let _ = head(server, &mut page);
    let _ = sessions(&server.sessions, &mut page);
    let _ = devices(&server.plugin, &mut page);
    let _ = requests(server, &mut page);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn head(server: &ServerView, page: &mut String) -> fmt::Result {
    let (state, class) =
        if server.ready { ("serving", "state") } else { ("stopping", "state stopping") };
    writeln!(page, "<h1>unskew serve <span class=\"{class}\">{state}</span></h1>")?;
    writeln!(
        page,
        "<p>For {}. <a href=\"/\">Look again</a>, <a href=\"/metrics\">Metrics</a></p>\n<dl>",
        Span(server.age)
    )?;
    let (plugin, limits) = (&server.plugin, &server.limits);
    fact(page, "Server", &format!("unskew {}", env!("CARGO_PKG_VERSION")))?;
    fact(page, "Plug-in", &plugin.platform)?;
    fact(page, "Its version", &plugin.version)?;
    fact(page, "PJRT C API", &plugin.api)?;
    if let Some(version) = &plugin.stablehlo {
        fact(page, "StableHLO", &format!("up to {version}"))?;
    }
    let sessions = server.sessions.len();
    fact(page, "Sessions", &format!("{sessions} of at most {}", limits.sessions))?;
    let sum = |of: fn(&SessionView) -> u64| Size(server.sessions.iter().map(of).sum());
    let bytes = format!(
        "{} in arrays, {} on their way; at most {} together, {} in one session",
        sum(|session| session.device_bytes),
        sum(|session| session.host_bytes),
        Size(limits.server_bytes),
        Size(limits.session_bytes)
    );
    fact(page, "Bytes", &bytes)?;
    page.push_str("</dl>\n");
    Ok(())
}

fn fact(page: &mut String, name: &str, value: &str) -> fmt::Result {
    writeln!(page, "<dt>{name}</dt><dd>{}</dd>", Escaped(value))
}

/// Opens a table that scrolls by itself, also with the keyboard.
fn table(page: &mut String, name: &str, columns: &[&str]) -> fmt::Result {
    let id = name.to_lowercase();
    write!(
        page,
        "<h2 id=\"{id}\">{name}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-labelledby=\"{id}\"><table>\n<thead><tr>"
    )?;
    columns.iter().try_for_each(|column| write!(page, "<th scope=\"col\">{column}</th>"))?;
    page.push_str("</tr></thead>\n<tbody>\n");
    Ok(())
}

const END: &str = "</tbody>\n</table></div>\n";

fn sessions(sessions: &[SessionView], page: &mut String) -> fmt::Result {
    if sessions.is_empty() {
        page.push_str("<h2 id=\"sessions\">Sessions</h2>\n<p>Nobody is connected.</p>\n");
        return Ok(());
    }
    let columns = [
        "Session",
        "Client",
        "For",
        "Protocol",
        "SerDes",
        "Requests",
        "Failed",
        "Unanswered",
        "Handles",
        "In arrays",
        "On their way",
        "Now",
    ];
    table(page, "Sessions", &columns)?;
    for session in sessions {
        write!(page, "<tr><th scope=\"row\">{}</th>", session.number)?;
        write!(page, "<td>{}</td><td>{}</td>", Escaped(&session.client), Span(session.age))?;
        number(page, session.protocol)?;
        number(page, session.serdes)?;
        number(page, session.requests)?;
        failures(page, session.failed)?;
        number(page, session.in_flight)?;
        number(page, session.handles)?;
        number(page, Size(session.device_bytes))?;
        number(page, Size(session.host_bytes))?;
        match &session.doing {
            None => page.push_str("<td>idle</td></tr>\n"),
            Some((name, time)) => writeln!(page, "<td>{name} for {}</td></tr>", Span(*time))?,
        }
    }
    page.push_str(END);
    Ok(())
}

fn devices(plugin: &PluginView, page: &mut String) -> fmt::Result {
    table(page, "Devices", &["Device", "Kind", "Memories", "Name"])?;
    for device in &plugin.devices {
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            device.id,
            Escaped(&device.kind),
            Escaped(&device.memories.join(", ")),
            Escaped(&device.name)
        )?;
    }
    page.push_str(END);
    Ok(())
}

fn requests(server: &ServerView, page: &mut String) -> fmt::Result {
    let kinds = &server.counts.requests;
    if kinds.is_empty() {
        page.push_str("<h2 id=\"requests\">Requests</h2>\n<p>Nobody asked for anything yet.</p>\n");
        return Ok(());
    }
    table(page, "Requests", &["Kind", "Answered", "Failed"])?;
    for (kind, counts) in kinds {
        let (all, failed) = counts.answered_and_failed();
        write!(page, "<tr><th scope=\"row\">{}</th>", Escaped(kind))?;
        number(page, all)?;
        failures(page, failed)?;
        page.push_str("</tr>\n");
    }
    page.push_str(END);
    Ok(())
}

fn number(page: &mut String, value: impl Display) -> fmt::Result {
    write!(page, "<td class=\"number\">{value}</td>")
}

fn failures(page: &mut String, count: u64) -> fmt::Result {
    let class = if count > 0 { "number wrong" } else { "number" };
    write!(page, "<td class=\"{class}\">{count}</td>")
}

/// Bytes, as people read them.
struct Size(u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = "B";
        for larger in units {
            if value < 1024.0 {
                break;
            }
            value /= 1024.0;
            unit = larger;
        }
        if unit == "B" { write!(f, "{} B", self.0) } else { write!(f, "{value:.1} {unit}") }
    }
}

/// A time, as people read it.
struct Span(Duration);

impl Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        match seconds {
            0 => write!(f, "{} ms", self.0.as_millis()),
            1..60 => write!(f, "{seconds} s"),
            60..3600 => write!(f, "{} min {} s", seconds / 60, seconds % 60),
            _ => write!(f, "{} h {} min", seconds / 3600, seconds / 60 % 60),
        }
    }
}

/// A text from a plug-in, which is no tag.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                hidden if unskew_core::is_hidden(hidden) => {
                    write!(f, "{}", hidden.escape_unicode())?;
                }
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_times_and_texts_read_well() {
        assert_eq!(Size(0).to_string(), "0 B");
        assert_eq!(Size(1536).to_string(), "1.5 KiB");
        assert_eq!(Size(64 << 30).to_string(), "64.0 GiB");
        assert_eq!(Span(Duration::from_millis(70)).to_string(), "70 ms");
        assert_eq!(Span(Duration::from_secs(3725)).to_string(), "1 h 2 min");
        assert_eq!(Escaped("<b title=\"&\">").to_string(), "&lt;b title=&quot;&amp;&quot;&gt;");
    }
}
