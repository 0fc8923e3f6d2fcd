//! Passes of a frame: drawing the whole picture, or only the square tiles of pixels that lava may
//! cover.

use super::{NO_PICTURE, Renderer};
use crate::camera::Camera;
use crate::film::{Develop, Film, Shimmer};
use crate::frame::{Frame, Keeping, Kept, Wanted};
use crate::image::Image;
use crate::media::transmittance::Weave;
use crate::style::tracer::Tracer;
use crate::style::transfer::Shown;
use crate::volume::seen::Places;
use crate::volume::tiles::Live;
use lavoxel_automaton::view::{Antialias, LookSpec};

impl Renderer {
    fn frame_through<'a, T: Tracer>(
        &'a self,
        tracer: &'a T,
        camera: &'a Camera,
        places: &'a Places,
        live: &'a Live,
    ) -> Frame<'a, T> {
        Frame {
            tracer,
            camera,
            tiles: &places.lava,
            others: (!places.others.is_empty()).then_some(&places.others),
            live,
            veils: None,
            turn: self.turn,
            level: self.level,
            stop: &self.stop,
        }
    }

    /// Draws the whole picture, for styles in which lava may change every pixel because it lights
    /// its surroundings and has bloom. `places`: distances at which rays may meet matter; `kept`:
    /// cached backdrops (ground, slice or sky behind all lava).
    pub(super) fn everything<T: Tracer>(
        &self,
        tracer: &T,
        camera: &Camera,
        places: &Places,
        kept: &mut Kept<T::Behind>,
    ) -> Image {
        let live = Live::whole(camera);
        let mut frame = self.frame_through(tracer, camera, places, &live);
        // Smoothed pictures must have no noise at all.
        let weave = if self.running {
            Weave::RUNNING
        } else {
            Weave::still(self.look.antialias != Antialias::Off)
        };
        frame.veils = frame.veils(&kept.centres, weave);
        let mut film = Film::dark(camera.size());
        frame.expose(&kept.centres, &mut film);
        if let Some(wanted) = self.closer().filter(|_| !self.is_given_up()) {
            film.light = frame.refine(&film, kept, wanted);
        }
        if self.is_given_up() {
            return NO_PICTURE;
        }
        film.develop(self.filmic())
    }

    /// Draws a picture by updating the cached picture without lava, in those tiles of pixels in
    /// which there may be lava now or was in the previous frame. `places`: distances at which rays
    /// may meet matter; `kept`: the cache.
    pub(super) fn over_bare<T: Tracer>(
        &self,
        tracer: &T,
        camera: &Camera,
        places: &Places,
        kept: &mut Kept<T::Behind>,
    ) -> Image {
        // Slices change with the lava, so they are not part of the picture without lava.
        let live = match tracer.slices().is_empty() {
            true => places.live(camera, self.look.antialias != Antialias::Off),
            false => Live::whole(camera),
        };
        if kept.bare.drawn.is_none() {
            self.draw_bare(tracer, camera, kept);
        }
        let mut bare = std::mem::take(&mut kept.bare);
        // Includes the tiles of the last frame, from which old lava must be removed.
        let drawn = bare
            .drawn
            .take()
            .map_or_else(|| live.clone(), |drawn| drawn.and(&live));
        let frame = self.frame_through(tracer, camera, places, &drawn);
        frame.expose(&kept.centres, &mut bare.film);
        let mut image = bare.image.clone();
        frame.develop(
            &bare.film,
            kept,
            self.closer().map(|wanted| (wanted, Keeping::Kept)),
            &mut image,
        );
        if cfg!(feature = "legends") && self.contents.legend {
            let (lava, others) = (!self.prepared.bricks().is_empty(), &places.others);
            let shown = Shown {
                lava,
                others: others.clear.is_some(),
                haze: others.gas.is_some(),
            };
            self.transfer.legend(&mut image, shown);
        }
        bare.drawn = Some(live);
        kept.bare = bare;
        image
    }

    /// Draws the picture of the scene without lava and stores the picture in the cache `kept`.
    fn draw_bare<T: Tracer>(&self, tracer: &T, camera: &Camera, kept: &mut Kept<T::Behind>) {
        let mut bare = std::mem::take(&mut kept.bare);
        let places = Places::none(camera);
        let live = Live::whole(camera);
        let frame = self.frame_through(tracer, camera, &places, &live);
        bare.film.resize(camera.size());
        bare.image.resize(camera.size());
        frame.expose_bare(&kept.centres, &mut bare.film);
        // Backdrops of supersampled pixels are cached only when lava is drawn; here most are needed
        // just once.
        frame.develop(
            &bare.film,
            kept,
            self.closer().map(|wanted| (wanted, Keeping::Not)),
            &mut bare.image,
        );
        bare.drawn = Some(places.live(camera, false));
        kept.bare = bare;
    }

    /// Returns the conversion of linear light to sRGB bytes for the cinematic style.
    pub(super) fn filmic(&self) -> Develop {
        let LookSpec {
            exposure,
            glow,
            shimmer,
            ..
        } = self.look;
        Develop::Filmic {
            exposure: exposure.exp2(),
            glow,
            shimmer: Shimmer::at(shimmer, self.steps),
        }
    }

    /// Returns the conversion of traced light to sRGB bytes.
    pub(super) fn printed(&self) -> Develop {
        match self.filmic() {
            Develop::Filmic {
                exposure,
                glow,
                shimmer,
            } => Develop::Agx {
                exposure,
                glow,
                shimmer,
            },
            other => other,
        }
    }

    /// Returns the pixels that are to be supersampled by the setting of the look; `None` for no
    /// supersampling.
    fn closer(&self) -> Option<Wanted> {
        match self.look.antialias {
            Antialias::Off => None,
            Antialias::Edges => Some(Wanted::Edges),
            Antialias::Full => Some(Wanted::All),
        }
    }
}
