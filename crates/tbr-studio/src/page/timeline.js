// The playhead: how many strokes are laid.

import { attribute, count, h, say } from "./dom.js";
import { choice, iconButton, numberIn } from "./controls.js";
import { changeIcon } from "./icons.js";
import { program, set, strokesLaid, ui } from "./store.js";

const SPEEDS = [5, 10, 20, 60];
const NOTHING_LAID = "There is no program yet: fit the picture first";

export class Timeline {
  constructor(player) {
    this.player = player;
    this.play = iconButton("Play", "play", {
      testid: "play",
      class: "icon-button play",
      onclick: () => player.toggle(),
    });
    this.slider = this.makeSlider();
    this.field = h("input", {
      type: "number",
      min: 0,
      step: 1,
      class: "time-field",
      "aria-label": "Strokes laid",
      "data-testid": "time-field",
      onchange: () => this.goToField(),
    });
    this.total = h("span", {});
    this.speed = choice(
      SPEEDS.map((s) => ({ value: s, label: `${s} s` })),
      {
        "aria-label": "The whole program in",
        title: "The whole program in",
        onchange: () => player.changeSeconds(Number(this.speed.value)),
      },
    );
    this.speed.value = String(player.seconds);
    this.fps = h("span", { class: "soft fps" });
    this.el = h(
      "section",
      { class: "timeline", "aria-label": "Timeline", "data-testid": "timeline" },
      ...this.parts(),
    );
    const controls = [...this.el.querySelectorAll("button, input, select")];
    this.controls = controls.map((control) => ({ control, title: control.title || null }));
  }

  parts() {
    return [
      this.play,
      iconButton("One stroke back", "back", { onclick: () => this.step(-1) }),
      this.slider,
      iconButton("One stroke forward", "forward", { onclick: () => this.step(1) }),
      h(
        "span",
        { class: "time" },
        this.field,
        h("span", { class: "soft" }, this.total, h("span", { class: "unit" }, " strokes")),
      ),
      this.speed,
      this.fps,
    ];
  }

  makeSlider() {
    const slider = h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 1,
      class: "time-slider",
      "aria-label": "Strokes laid",
      "data-testid": "time-slider",
      oninput: () => this.go(Number(slider.value), { scrubbing: true }),
      onchange: () => set({ scrubbing: false }),
      // Back where it began, nothing has changed for the browser.
      onpointerup: () => set({ scrubbing: false }),
    });
    return slider;
  }

  /** Puts the playhead after so many strokes; after all of them it stays at the end. */
  go(time, { scrubbing = false } = {}) {
    if (ui.playing) this.player.pause();
    const strokes = program()?.strokes ?? 0;
    const whole = Math.max(0, Math.round(time));
    set({ time: whole >= strokes ? null : whole, scrubbing });
  }

  /** What was beyond the bounds is shown as what it came to, though the field has the focus. */
  goToField() {
    this.go(numberIn(this.field, strokesLaid()));
    this.field.value = String(Math.round(strokesLaid()));
  }

  step(by) {
    this.go(Math.floor(strokesLaid()) + by);
  }

  update() {
    const strokes = program()?.strokes ?? 0;
    const laid = Math.round(strokesLaid());
    for (const { control, title } of this.controls) {
      control.disabled = strokes === 0;
      if (control !== this.play) attribute(control, "title", strokes === 0 ? NOTHING_LAID : title);
    }
    attribute(this.slider, "max", Math.max(1, strokes));
    attribute(this.field, "max", strokes);
    this.slider.value = String(laid);
    attribute(this.slider, "aria-valuetext", `${count(laid)} of ${count(strokes)} strokes`);
    this.slider.style.setProperty("--filled", `${strokes ? (laid / strokes) * 100 : 0}%`);
    if (document.activeElement !== this.field) this.field.value = String(laid);
    say(this.total, `/ ${count(strokes)}`);
    this.updatePlaying();
  }

  updatePlaying() {
    const name = ui.playing ? "Pause" : "Play";
    changeIcon(this.play, ui.playing ? "pause" : "play");
    attribute(this.play, "aria-label", name);
    attribute(this.play, "title", this.play.disabled ? NOTHING_LAID : `${name} (Space)`);
    say(this.fps, ui.playing ? `${Math.round(this.player.fps)} fps` : "");
    this.el.dataset.playing = String(ui.playing);
    this.el.dataset.fps = this.player.fps.toFixed(1);
  }
}
