//! The owner of a drag: one that begins over the panel belongs to the panel, one that begins over the world belongs to
//! the camera or the tool, until the button goes up.

use std::time::{Duration, Instant};

use kiss3d::event::MouseButton;

use lavoxel_render::Ray;

/// Effect of a drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drag {
    /// It began over the panel.
    Panel,
    /// It turns the camera.
    Turn,
    /// It moves the camera sideways.
    Pan,
    /// It belongs to the tool.
    Tool,
    /// It moves the slice across an axis: 0 for x.
    Cut(usize),
}

/// Where the pointer is in this frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// Pixels from the top left.
    pub pixel: (f32, f32),
    /// The ray through it.
    pub ray: Ray,
    /// The ray from where it enters what is seen of the box.
    pub entered: Ray,
    /// The part of the box that is seen, in cells.
    pub part: [[f32; 2]; 3],
    /// The ground under the pointer in cells, while a vent is dragged.
    pub ground: Option<[f32; 3]>,
    /// Seconds since the window opened.
    pub now: f64,
    /// Whether Shift is held.
    pub shift: bool,
}

/// Where the mouse is and what it drags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pointer {
    /// Pixels from the top left; nothing until it has entered the window.
    pub(crate) at: Option<(f32, f32)>,
    /// When it moved last.
    moved: Option<Instant>,
    drag: Option<(MouseButton, Drag)>,
}

impl Pointer {
    /// Moves; gives the drag under way with the pixels that it moved.
    pub(crate) fn move_to(&mut self, (x, y): (f32, f32)) -> Option<(Drag, (f32, f32))> {
        let before = self.at.replace((x, y));
        if before != self.at {
            self.moved = Some(Instant::now());
        }
        let (drag, (old_x, old_y)) = (self.drag?.1, before?);
        Some((drag, (x - old_x, y - old_y)))
    }

    /// A button goes down and starts this drag. A second button changes nothing.
    pub(crate) fn press(&mut self, button: MouseButton, drag: impl FnOnce() -> Drag) {
        if self.drag.is_none() {
            self.drag = Some((button, drag()));
        }
    }

    /// A button goes up; returns the drag that it ends.
    pub(crate) fn release(&mut self, button: MouseButton) -> Option<Drag> {
        let ended = self.drag.filter(|(held, _)| *held == button)?;
        self.drag = None;
        Some(ended.1)
    }

    /// How long it has not moved.
    pub(crate) fn rests(&self, now: Instant) -> Duration {
        self.moved.map_or(Duration::MAX, |moved| now.saturating_duration_since(moved))
    }

    /// The drag under way.
    pub(crate) fn drag(&self) -> Option<Drag> {
        self.drag.map(|(_, drag)| drag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_belongs_to_where_it_began_until_its_button_goes_up() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.move_to((5.0, 5.0)), None);
        pointer.press(MouseButton::Button1, || Drag::Turn);
        pointer.press(MouseButton::Button2, || Drag::Pan);
        assert_eq!(pointer.move_to((8.0, 4.0)), Some((Drag::Turn, (3.0, -1.0))));
        assert_eq!(pointer.release(MouseButton::Button2), None);
        assert_eq!(pointer.drag(), Some(Drag::Turn));
        assert_eq!(pointer.release(MouseButton::Button1), Some(Drag::Turn));
        assert_eq!(pointer.move_to((9.0, 4.0)), None);
    }
}
