//! Terrain: heightmaps, generators and what is measured on them.
