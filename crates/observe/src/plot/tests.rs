use super::*;

fn drop_of(n: usize) -> Plot {
    let points = (1..=n).map(|i| (i as f64, (i as f64).powf(0.125)));
    Plot::new("A drop & its <radius>")
        .axis_x("time [s]", Axis::Log)
        .axis_y("radius [m]", Axis::Linear)
        .points("computed", points)
        .line_of_theory("R ~ t^⅛", |t| t.powf(0.125))
}

#[test]
fn a_plot_has_its_points_its_theory_and_its_words() {
    let svg = drop_of(20).svg().expect("a plot");
    // One additional circle is in the legend.
    assert_eq!(svg.matches("<circle").count(), 21);
    assert!(svg.matches("<polyline").count() > 20, "dashes");
    for word in [
        "A drop &amp; its &lt;radius&gt;",
        "time [s]",
        "radius [m]",
        "computed",
        "R ~ t^⅛",
    ] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn a_verdict_stands_in_the_corner() {
    let svg = |is_good: bool| {
        drop_of(4)
            .verdict("holds, 1.3 %", is_good)
            .svg()
            .expect("a plot")
    };
    for (svg, color) in [(svg(true), "#006E3C"), (svg(false), "#BE1414")] {
        let lines: Vec<&str> = svg.lines().collect();
        let at = lines
            .iter()
            .position(|line| line.contains("holds, 1.3 %"))
            .expect("the verdict");
        assert!(
            lines[at - 1].contains(color) && lines[at - 1].contains("text-anchor=\"end\""),
            "{}",
            lines[at - 1]
        );
    }
    assert!(!drop_of(4).svg().expect("a plot").contains("holds"));
}

#[test]
fn numbers_without_a_place_are_left_out() {
    let points = [
        (0.0, 1.0),
        (f64::NAN, 2.0),
        (1.0, f64::INFINITY),
        (1.0, -1.0),
        (2.0, 3.0),
        (20.0, 30.0),
    ];
    let plot = Plot::new("")
        .axis_x("x", Axis::Log)
        .axis_y("y", Axis::Log)
        .points("", points);
    assert_eq!(plot.svg().expect("a plot").matches("<circle").count(), 2);
    // No data, a single number, and invalid bounds.
    for plot in [
        Plot::new("empty"),
        Plot::new("one").series("a", [(1.0, 0.0)]),
        drop_of(3).range_x(-1.0, 5.0).range_y(3.0, 2.0),
        Plot::new("far")
            .series("a", [(0.0, 0.0), (1e300, 1e-300)])
            .line_of_theory("b", |x| x * x),
    ] {
        assert!(plot.svg().is_ok());
    }
}

#[test]
fn nothing_is_drawn_outside_of_ends_that_were_asked_for() {
    let points = [(0.0, 0.5), (1.0, 9.0), (2.0, 0.6), (3.0, -4.0), (7.0, 0.2)];
    let plot = Plot::new("")
        .points("", points)
        .series("", points)
        .range_x(0.0, 5.0)
        .range_y(0.0, 1.0);
    assert_eq!(plot.svg().expect("a plot").matches("<circle").count(), 2);
}

#[test]
fn pages_put_plots_in_rows() {
    let page = (0..3).fold(Page::new("Four").plot_size(300, 200), |page, _| {
        page.plot(drop_of(4))
    });
    let size = |page: &Page| {
        page.svg()
            .expect("a page")
            .lines()
            .next()
            .map(str::to_owned)
            .expect("a line")
    };
    assert!(
        size(&page).contains("width=\"600\" height=\"444\""),
        "{}",
        size(&page)
    );
    assert!(size(&page.columns(1)).contains("width=\"300\" height=\"644\""));
}

#[test]
fn a_plot_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/plot.svg");
    drop_of(3).write(&path, Existing::Keep).expect("a file");
    let before = std::fs::read(&path).expect("the file");
    assert!(matches!(
        drop_of(9).write(&path, Existing::Keep),
        Err(PlotError::Output(_))
    ));
    assert_eq!(std::fs::read(&path).expect("the file"), before);
    drop_of(9).write(&path, Existing::Replace).expect("a file");
    assert_ne!(std::fs::read(&path).expect("the file"), before);
}
