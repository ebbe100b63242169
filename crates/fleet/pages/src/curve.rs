//! Curve of what 1, 2, ... artifacts serve, as a drawing.

use maud::{Markup, PreEscaped, html};
use unskew_fleet::Plan;
use unskew_report::{Medium, escaped};

use crate::amount;
use crate::frame;

/// The size of the drawing, and the room for its words.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const RIGHT: f64 = 16.0;

/// Styles of the drawing where no page has them.
const STYLE: &str = ".paper{fill:#fff}text{font:12px system-ui,sans-serif;fill:#1b1d21}.dim{fill:#585f69}\
.title{font-size:15px;font-weight:600}.axis{stroke:#d5d9df}.served{fill:#2f7d4f}\
.limit{stroke:#c4473b;stroke-width:2}";

/// The curve as a file of its own (SVG 1.1).
pub fn svg(plan: &Plan) -> String {
    format!("{}\n", escaped(&drawing(plan, true).into_string(), Medium::Document))
}

/// The curve in a page that has styles for it.
pub(crate) fn inline(plan: &Plan) -> Markup {
    frame::drawing("Coverage, drawn", &drawing(plan, false))
}

/// A page says of what namespace it is, and has the styles.
fn drawing(plan: &Plan, alone: bool) -> Markup {
    let points = plan.curve.len();
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let whole = plan.devices.max(1) as f64;
    let y = |devices: u64| TOP + height * (1.0 - devices as f64 / whole);
    let slot = (width / points.max(1) as f64).min(90.0);
    let title = format!("{}: devices served by the number of artifacts", plan.model);
    html! {
        svg xmlns=[alone.then_some("http://www.w3.org/2000/svg")] role="img" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) {
            title { (title) }
            @if alone {
                style { (PreEscaped(STYLE)) }
                rect class="paper" width=(WIDTH) height=(HEIGHT) {}
            }
            text class="title" x="8" y="18" { (title) }
            @for percent in [0_u32, 25, 50, 75, 100] {
                @let at = TOP + height * (1.0 - f64::from(percent) / 100.0);
                line class="axis" x1=(LEFT) y1=(px(at)) x2=(px(LEFT + width)) y2=(px(at)) {}
                text class="dim" x=(px(LEFT - 8.0)) y=(px(at + 4.0)) text-anchor="end" { (percent) " %" }
            }
            @for (at, point) in plan.curve.iter().enumerate() {
                @let left = LEFT + slot * (at as f64 + 0.15);
                @let (bar, up) = (slot * 0.7, y(point.devices));
                rect class="served" x=(px(left)) y=(px(up)) width=(px(bar)) height=(px((TOP + height - up).max(0.0))) {
                    title {
                        (amount::counted(at as u64 + 1, "artifact")) ": " (amount::counted(point.devices, "device"))
                        ", " (amount::count(point.adds)) " more than before"
                    }
                }
                @if !point.optimal {
                    @let limit = y(point.at_most);
                    line class="limit" x1=(px(left)) y1=(px(limit)) x2=(px(left + bar)) y2=(px(limit)) {}
                }
                @if points <= 40 || (at + 1) % 5 == 0 {
                    text x=(px(left + bar / 2.0)) y=(px(TOP + height + 16.0)) text-anchor="middle" { (at + 1) }
                }
            }
            text class="dim" x=(LEFT) y=(px(HEIGHT - 8.0)) {
                @if points == 0 { "no artifact serves any device" }
                @else if plan.curve.iter().all(|point| point.optimal) { "artifacts" }
                @else { "artifacts; a red line is what no as many exceed, where the best is not proven" }
            }
        }
    }
}

/// A place with one digit behind the point.
pub(crate) fn px(value: f64) -> String {
    format!("{value:.1}")
}
