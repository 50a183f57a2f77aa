"""Examples that lessons and labs share, one module for each subject; they import neither lessons nor labs."""
