"""Steps of a run as files: frames, animations, contact sheets, and SVG as PNG or PDF."""
