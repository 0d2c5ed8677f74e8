import { describe, expect, it } from "vitest"
import { readSettings } from "../../../src/plan/settings/readSettings.ts"
import { writeAssumptions } from "../../../src/plan/settings/writeAssumptions.ts"
import type { MeasuredImage } from "../../../src/plan/live/measuredImages.ts"

const head = "apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec:"

const web: MeasuredImage = {
  glob: "shop/web:*",
  images: ["shop/web:1", "shop/web:2"],
  podCount: 4,
  owners: ["Deployment/web"],
  newestMillis: 0,
  pull: { leastMillis: 900, mostMillis: 1500 },
  start: { leastMillis: 2000, mostMillis: 2000 },
  includesPull: false,
  ready: { leastMillis: 5000, mostMillis: 65_000 }
}
const written = '{ image: "shop/web:*", pull: 900ms..1.5s, start: 2s, ready: 5s..1m5s, observations: 4 }'

describe("measured times are written", () => {
  it.for([
    {
      where: "into a file without assumptions",
      spec: ' { files: [ a.yaml, "b.yaml" ], seeds: 010 }\n',
      expected: ` { files: [ a.yaml, "b.yaml" ], seeds: 010, assumptions: [ ${written} ] }\n`
    },
    {
      where: "into an empty list",
      spec: "\n  assumptions: []\n\n  # a hundred\n  seeds: 100\n",
      expected: `\n  assumptions:\n    - ${written}\n\n  # a hundred\n  seeds: 100\n`
    },
    {
      where: "before an entry that matches one of the images, too",
      spec: '\n  assumptions:\n    # the database\n    - { image: "*db*" }\n    - { image: "shop/*", crash: 1% }\n',
      expected: `\n  assumptions:\n    # the database\n    - { image: "*db*" }\n    - ${written}\n    - { image: "shop/*", crash: 1% }\n`
    },
    {
      where: "over those of the same image",
      spec: "\n  assumptions:\n  - {image: 'shop/web:*', ready: 1s, stop: 3s} # kept\n",
      expected:
        "\n  assumptions:\n  - {image: 'shop/web:*', ready: 5s..1m5s, stop: 3s, pull: 900ms..1.5s, start: 2s, observations: 4} # kept\n"
    },
    {
      where: "into a list that is used by its name",
      spec: '\n  values: [a.yaml]\n  assumptions: &all\n    - { image: "x" }\n',
      expected: `\n  values: [a.yaml]\n  assumptions: &all\n    - { image: "x" }\n    - ${written}\n`
    }
  ])("$where", ({ spec, expected }) => {
    const text = writeAssumptions(`${head}${spec}`, [web])
    expect(text).toBe(`${head}${expected}`)
    expect(readSettings(text, "charthouse.yaml", "2027-01-31").ok).toBe(true)
  })

  it("into a new file", () => {
    expect(writeAssumptions(undefined, [{ ...web, ready: undefined, includesPull: true }])).toBe(
      `${head}\n  assumptions:\n    - { image: "shop/web:*", pull: 0s, start: 2s, observations: 4 }\n`
    )
  })
})
