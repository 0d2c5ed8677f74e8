import { describe, expect, it } from "vitest"
import { cutMessage } from "../../../src/cli/terminal/cutText.ts"

const rows = [
  { why: "fits", text: 'Pulling image "web:2.0"', width: 23, is: 'Pulling image "web:2.0"' },
  {
    why: "has words alone: they are not broken",
    text: "Scaled up replica set web-584f8f947d from 0 to 3",
    width: 24,
    is: "Scaled up replica set…"
  },
  {
    why: "names an image: its tag stays",
    text: 'Pulling image "registry.example/web:2.0"',
    width: 20,
    is: "…/web:2.0"
  },
  {
    why: "names an image and says why",
    text: 'Failed to pull image "registry.example/shop/web:broken": manifest unknown',
    width: 24,
    is: "…/web:broken: manifest…"
  },
  { why: "is one long word", text: "web-584f8f947d-hbln7", width: 10, is: "web-584f8…" }
]

describe("a message that is cut to a width", () => {
  it.each(rows)("$why", ({ text, width, is }) => {
    expect(cutMessage(text, width)).toBe(is)
  })
})
