"""Examples that lessons and labs share, a module for each subject. They import from neither."""
