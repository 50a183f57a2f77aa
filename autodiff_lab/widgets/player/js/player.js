// What a player is made of, for whoever loads it: a page calls `mount`, anywidget takes the default.

export { mount } from "./mount.js";
export { default } from "./widget.js";
