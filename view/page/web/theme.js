// Colours of charts, for the theme that is shown. They are from Okabe and Ito, and viridis: people who see fewer colours
// distinguish them too.
const palettes = {
  light: {
    ink: "#1b2733", faint: "#64748b", grid: "#e3e8ee", paper: "#ffffff", heatLow: 1, heatHigh: 0,
    list: ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b98200", "#3a9bd0", "#555555", "#7b4f2a"],
    good: "#00795a", bad: "#c03a00",
  },
  dark: {
    ink: "#e6ebf1", faint: "#93a1b3", grid: "#2a3542", paper: "#151c24", heatLow: 0.12, heatHigh: 1,
    list: ["#56b4e9", "#ff9f5a", "#35c99a", "#e59ccb", "#f0d24a", "#8ab6ff", "#b8c0cc", "#c9a27c"],
    good: "#4cd0a6", bad: "#ff9363",
  },
};

// dashes of lines, by the number of their colour: who sees no colours tells lines apart by them.
const dashes = [undefined, [9, 4], [2, 3], [10, 3, 2, 3], [16, 4], [5, 3], [2, 6], [9, 3, 2, 3, 2, 3]];

// dashOf returns the dashes of a numbered colour; others are solid.
export const dashOf = (colour) => (typeof colour === "number" ? dashes[colour % dashes.length] : undefined);

const viridis = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

const systemDark = globalThis.matchMedia ? matchMedia("(prefers-color-scheme: dark)") : { matches: false, addEventListener() {} };
let chosen = ""; // by the reader; empty: as the system
let printing = false;
const listeners = [];

// themeName returns the theme that is shown. Paper is light.
export const themeName = () => (printing ? "light" : chosen || (systemDark.matches ? "dark" : "light"));

// palette returns the colours of the theme.
export const palette = () => palettes[themeName()];

// onTheme calls a function whenever the theme changes.
export const onTheme = (f) => listeners.push(f);

function apply() {
  document.documentElement.dataset.theme = themeName();
  for (const f of listeners) f();
}

// toggleTheme changes between dark and light.
export function toggleTheme() {
  chosen = themeName() === "dark" ? "light" : "dark";
  apply();
}

// setPrinting sets whether the page is being printed.
export function setPrinting(on) {
  printing = on;
  apply();
}

// watchTheme applies the theme, now and when the system changes it.
export function watchTheme() {
  systemDark.addEventListener("change", apply);
  apply();
}

// translucent returns a colour of the form #rrggbb with an opacity.
export const translucent = (colour, opacity) => colour + Math.round(opacity * 255).toString(16).padStart(2, "0");

// heatColour returns the colour of a share from 0 to 1.
export function heatColour(share, colours) {
  const t = (colours.heatLow + (colours.heatHigh - colours.heatLow) * Math.min(1, Math.max(0, share))) * (viridis.length - 1);
  const i = Math.min(viridis.length - 2, Math.floor(t));
  const mix = (k) => Math.round(viridis[i][k] + (viridis[i + 1][k] - viridis[i][k]) * (t - i));
  return `rgb(${mix(0)},${mix(1)},${mix(2)})`;
}
