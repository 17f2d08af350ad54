"""Fits a marbled sheet, shows how it goes, and films the program being laid down.

    python fit_and_film.py [PICTURE]

leaves sheet.tbr.json, sheet.png and sheet.gif in the current folder. Twenty seconds on two cores.
"""

import sys

import tbr


def main() -> None:
    if len(sys.argv) > 1:
        picture = sys.argv[1]
    else:
        picture = tbr.render(tbr.sample("tulip"), width=384, samples=3)

    fit = tbr.Fit(picture, strokes=400, palette=8, preset="fast")
    for report in fit:
        if report.improved:
            print(f"step {report.step}/{report.steps}: floor ratio {report.floor_ratio:.2f}")
    program = fit.program

    program.save("sheet.tbr.json", force=True)
    tbr.save_render(program, "sheet.png", width=1024, samples=3, force=True)
    tbr.animate(program, "sheet.gif", seconds=4, fps=20, width=256, force=True)
    scores = tbr.score(program, picture, width=384)
    print(f"{program!r}: {scores['psnr']:.2f} dB; its film is sheet.gif")


if __name__ == "__main__":
    main()
