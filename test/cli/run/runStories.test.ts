import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { complete, setImage, storyOf, stormy } from "../harness/storyFiles.ts"

const files = {
  "calm.yaml": storyOf({ name: "calm" }),
  "stormy.yaml": storyOf(stormy),
  "few.yaml": storyOf({
    name: "few",
    steps: [
      setImage,
      complete,
      { scale: "deployment/web", to: 9, after: "3s" },
      complete,
      { scale: "deployment/web", to: 2, at: "1m7.5s" },
      complete
    ],
    invariants: ["available >= 4"]
  }),
  "hasty.yaml": storyOf({ name: "hasty", limit: { time: "2s" } }),
  "calm2.yaml": storyOf({ name: "CALM" }),
  "typed.ts": `const isBusy = ({ sinceMillis }: { readonly sinceMillis: number }): boolean => sinceMillis >= 5000
export const story = { name: "typed", steps: [{ waitFor: isBusy }] }
`,
  "plain.js": `export const story = {
  name: "plain",
  seed: "abc",
  steps: [{ scale: "deployment/web", too: 3 }, { fault: "flop", pods: {} }, { at: "1s", waitFor: () => true }]
}
`,
  "untold.ts": "export const tale = 1\n",
  "web.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n"
}
const run = (...args: ReadonlyArray<string>) => charthouse(["run", ...args], files)

const folder = mkdtempSync(join(tmpdir(), "charthouse-out-"))
afterAll(() => rmSync(folder, { recursive: true }))

it("a story with --inspect prints the inspector's address and has the same report", async () => {
  const [plain, inspected] = await Promise.all([
    run("few.yaml", "--seed", "7", "--report", "json"),
    run("few.yaml", "--seed", "7", "--report", "json", "--inspect", "deployment/web")
  ])
  expect(inspected.stderr).toMatch(/^the statecharts can be watched at http:\/\/127\.0\.0\.1:\d+/u)
  expect(inspected).toMatchObject({ code: plain.code, stdout: plain.stdout })
})

describe("the exit code of stories", () => {
  const rows: ReadonlyArray<{
    why: string
    args: ReadonlyArray<string>
    code: number
    expectedText: string
  }> = [
    { why: "0 when all stories have passed", args: ["calm.yaml"], code: 0, expectedText: "✓ calm  seed 1" },
    {
      why: "1 when a story has failed",
      args: ["calm.yaml", "few.yaml"],
      code: 1,
      expectedText: "2 stories, played 2 times: 1 passed, 1 failed"
    },
    {
      why: "1 when a story reaches its time limit",
      args: ["hasty.yaml"],
      code: 1,
      expectedText: "has not settled with seed 1"
    },
    {
      why: "0 for a module that exports a story",
      args: ["typed.ts"],
      code: 0,
      expectedText: "✓ typed  seed 1"
    }
  ]
  it.concurrent.for(rows)("is $why", async ({ args, code, expectedText }, { expect }) => {
    const ended = await run(...args)
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: "" })
    expect(ended.stdout).toContain(expectedText)
  })
})

describe("a story with expectFailure", () => {
  const few = { steps: [{ scale: "deployment/web", to: 2 }], invariants: ["available >= 4"] }
  const expectingFailure = (name: string, expectFailure: string, spec: object = few) =>
    // JSON is YAML; the last brackets close the spec.
    storyOf({ name, ...spec }).replace(/\}\n$/, `,"expectFailure":${JSON.stringify(expectFailure)}}\n`)
  const own = {
    "right.yaml": expectingFailure("right", "available is 3"),
    "other.yaml": expectingFailure("other", "lost is"),
    "calm.yaml": expectingFailure("calm", "lost is", {})
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly args: ReadonlyArray<string>
    readonly code: number
    readonly expectedText: RegExp
  }> = [
    {
      why: "passes when it fails as expected, and prints the failure",
      args: ["right.yaml"],
      code: 0,
      expectedText:
        /^✓ right {2}seed 1 {2}\S+ {2}failed as expected: deployment\/web available is 3, not >= 4\n$/
    },
    {
      why: "passes with many seeds, and prints the failure of the first",
      args: ["right.yaml", "--seeds", "4..6"],
      code: 0,
      expectedText:
        /^✓ right {2}seeds 4\.\.6 {2}up to \S+ {2}failed as expected, first with 4: deployment\/web .*\n$/
    },
    {
      why: "fails when it fails otherwise, with a shrunk story",
      args: ["other.yaml"],
      code: 1,
      expectedText:
        /was to fail with "lost is", and failed otherwise: deployment\/web available is 3[^]+the smallest story/
    },
    {
      why: "fails when it passes, without a shrunk story",
      args: ["calm.yaml"],
      code: 1,
      expectedText:
        /it was to fail with "lost is", and did not\n\nto see it again:\n {2}charthouse run calm.yaml --seed 1\n$/
    }
  ]
  it.concurrent.for(rows)("$why", async ({ args, code, expectedText }, { expect }) => {
    const ended = await charthouse(["run", ...args], own)
    expect(ended).toMatchObject({ code, stderr: "" })
    expect(ended.stdout).toMatch(expectedText)
  })
})

describe("run refuses, before it plays a story,", () => {
  const rows: ReadonlyArray<{ readonly args: ReadonlyArray<string>; readonly expectedText: string }> = [
    {
      args: [],
      expectedText:
        "say what to run: stories, as in charthouse run STORY, or files of objects with --filename"
    },
    {
      args: ["calm.yaml", "-f", "web.yaml"],
      expectedText:
        "a run is of stories or of files: calm.yaml is a story, and -f web.yaml is a file of objects"
    },
    { args: ["none.yaml"], expectedText: 'the path "none.yaml" does not exist' },
    { args: ["none.ts"], expectedText: 'the path "none.ts" does not exist' },
    { args: ["web.yaml"], expectedText: "web.yaml:2" },
    { args: ["untold.ts"], expectedText: "untold.ts: it exports no `story` with a name and steps" },
    {
      args: ["plain.js"],
      expectedText:
        'plain.js: seed must be a number, not "abc"\n' +
        "error: plain.js: steps[0].too is not a field here; did you mean to?\n" +
        "error: plain.js: steps[0].to is required\n" +
        'error: plain.js: steps[1].fault "flop" is not known; did you mean flap?\n'
    },
    { args: ["calm.yaml", "--seed", "some"], expectedText: "a whole number" },
    {
      args: ["calm.yaml", "--seeds", "9..3"],
      expectedText: "a number of seeds, 1 to 100000, or a range like 1..1000"
    },
    {
      args: ["calm.yaml", "--seed", "3", "--seeds", "4"],
      expectedText: "--seed is one seed and --seeds are many"
    },
    {
      args: ["calm.yaml", "--clock", "60x"],
      expectedText: "--clock is for -f FILE: a story is played in virtual time"
    },
    {
      args: ["calm.yaml", "--nodes", "9"],
      expectedText: "--nodes is for -f FILE: a story has it in its spec"
    },
    {
      args: ["calm.yaml", "-o", "json"],
      expectedText: "--output is for -f FILE: what came of a story is written with --report"
    },
    { args: ["calm.yaml", "few.yaml", "--inspect"], expectedText: "--inspect shows one story with one seed" },
    {
      args: ["calm.yaml", "--seeds", "3..4", "--inspect", "deployment/web"],
      expectedText: "--inspect-only shows one story with one seed"
    },
    { args: ["calm.yaml", "--inspect", "ship/web"], expectedText: 'no actor is of kind "ship"' },
    { args: ["calm.yaml", "--behaviour", "instant"], expectedText: "--behaviour is for -f FILE" },
    {
      args: ["-f", "web.yaml", "--seeds", "9"],
      expectedText: "--seeds is for stories, and with -f there is none"
    },
    { args: ["-f", "web.yaml", "--report", "json"], expectedText: "--report is for stories" },
    { args: ["-f", "web.yaml", "--until", "3m", "--up"], expectedText: "--until is for stories" },
    { args: ["calm.yaml", "--until", "3m"], expectedText: "--until goes with --up" },
    { args: ["calm.yaml", "--port", "1"], expectedText: "--port goes with --up" },
    {
      args: ["calm.yaml", "--inspect-port", "8000"],
      expectedText: "--inspect-port goes with --inspect or --inspect-only"
    },
    {
      args: ["-f", "web.yaml", "--inspect-port", "8000"],
      expectedText: "--inspect-port goes with --inspect"
    },
    {
      args: ["calm.yaml", "--up"],
      expectedText: "--up needs --until: the moment at which the cluster is served"
    },
    {
      args: ["calm.yaml", "--until", "later", "--up"],
      expectedText: "a time since the story began, such as 90s or 3m"
    },
    {
      args: ["calm.yaml", "few.yaml", "--until", "3m", "--up"],
      expectedText: "--up serves one story, and these are several"
    },
    { args: ["calm.yaml", "--report", "pdf"], expectedText: "pdf" },
    {
      args: ["calm.yaml", "few.yaml", "--report", "json"],
      expectedText:
        "--report without --out prints one report of one story, and these are 1 report of 2 stories"
    },
    {
      args: ["calm.yaml", "--report", "json", "--report", "html"],
      expectedText:
        "--report without --out prints one report of one story, and these are 2 reports of 1 story"
    },
    {
      args: ["calm.yaml", "calm2.yaml", "--report", "html", "--out", "out"],
      expectedText: "calm.yaml and calm2.yaml would write the same report, CALM: give one another name"
    },
    {
      args: ["calm.yaml", "--out", "web.yaml"],
      expectedText: '--out "web.yaml": nothing can be written there'
    },
    { args: ["calm.yaml", "--out", "/proc"], expectedText: '--out "/proc": nothing can be written there' },
    {
      args: ["calm.yaml", "--out", "/proc/x/y"],
      expectedText: '--out "/proc/x/y": nothing can be written there'
    },
    {
      args: ["calm.yaml", "--out", "web.yaml/deep"],
      expectedText: '--out "web.yaml/deep": nothing can be written there'
    }
  ]
  it.concurrent.for(rows)("$args", async ({ args, expectedText }, { expect }) => {
    const ended = await run(...args)
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 2, stdout: "" })
    expect(ended.stderr).toContain(expectedText)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  })
})

it("a fault that met no target is reported and does not fail the story", async () => {
  const idle = { fault: "kill", pods: { labels: { app: "absent" } } }
  const refused = { fault: "writesRefused", of: "clients", code: 500, times: 1 }
  const unpulled = { fault: "pullFails", image: "*:v9" }
  const scale = { scale: "deployment/web", to: 7 }
  const ended = await charthouse(["run", "idle.yaml"], {
    "idle.yaml": storyOf({ name: "idle", steps: [idle, refused, unpulled, scale] })
  })
  expect(ended).toMatchObject({ code: 0, stderr: "" })
  expect(ended.stdout).toMatch(
    /^✓ idle {2}seed 1 .*\n {2}.* deleted: it affected nothing\n {2}writes of clients from outside .*: it affected nothing\n {2}images \*:v9 cannot be pulled: it affected nothing\n$/
  )
})

describe("a failed story", () => {
  it("prints the counterexample, the command that repeats it and a shrunk story", async () => {
    const { stdout } = await run("few.yaml", "--seed", "7")
    const lines = stdout.split("\n")
    expect(lines[0]).toMatch(/^✗ few {2}seed 7 {2}1m\d+\.\ds {2}failed$/)
    expect(stdout).toContain("broken: deployment/web available is 3, not >= 4")
    expect(stdout).toContain("to see it again:\n  charthouse run few.yaml --seed 7\n")
    expect(stdout).toContain(
      "the smallest story that fails in the same way: 1 of 6 steps and faults are left"
    )
    const yaml = stdout.slice(stdout.indexOf("  apiVersion")).replaceAll(/^ {2}/gm, "")
    expect(yaml).toContain(
      "  steps:\n    - scale: deployment/web\n      to: 2\n  invariants:\n    - available >= 4\n"
    )
    writeFileSync(join(folder, "least.yaml"), yaml)
    const again = await charthouse(["run", join(folder, "least.yaml")])
    expect(again.code).toBe(1)
    expect(again.stdout).toContain("broken: deployment/web available is 3, not >= 4")
  })

  it("writes the same bytes each time, on several threads and on one", async () => {
    const out = join(folder, "many")
    const every = ["--report", "html", "--report", "json", "--report", "junit"]
    const many = ["stormy.yaml", "--seeds", "1..3", ...every, "--out"]
    const first = await run(...many, `${out}1`)
    const second = await run(...many, `${out}2`)
    expect(first.stdout.replaceAll("many1", "many2")).toBe(second.stdout)
    expect(first.stdout).toMatch(/^✗ stormy {2}seeds 1\.\.3 {2}up to \S+ {2}\d+ failed, the first is \d+\n/)
    expect(readdirSync(`${out}1`)).toEqual(["stormy.html", "stormy.json", "stormy.shrunk.yaml", "stormy.xml"])
    for (const name of readdirSync(`${out}1`))
      expect(readFileSync(`${out}2/${name}`, "utf8")).toBe(readFileSync(`${out}1/${name}`, "utf8"))

    const report = JSON.parse(readFileSync(`${out}1/stormy.json`, "utf8")) as {
      readonly runs: ReadonlyArray<{
        readonly seed: number
        readonly outcome: string
        readonly digest: string
      }>
    }
    expect(report.runs.map(({ seed }) => seed)).toEqual([1, 2, 3])
    const failed = report.runs.find(({ outcome }) => outcome === "failed")
    const alone = await run("stormy.yaml", "--seed", String(failed?.seed), "--report", "json")
    expect(JSON.parse(alone.stdout)).toMatchObject({ runs: [failed] })
    const least = await charthouse(["run", join(`${out}1`, "stormy.shrunk.yaml")])
    expect(least.code).toBe(1)
    expect(least.stdout).toContain("broken: deployment/web available is")
  })
})

describe("a folder of stories", () => {
  it("plays its stories and skips other files", async () => {
    const ended = await charthouse(["run", "."], {
      "calm.yaml": files["calm.yaml"],
      "web.yaml": files["web.yaml"]
    })
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toMatch(/^✓ calm {2}seed 1 {2}[\d.]+s\n$/)
  })

  it("without a story is refused", async () => {
    const ended = await charthouse(["run", "."], { "web.yaml": files["web.yaml"] })
    expect(ended).toMatchObject({
      code: 2,
      stderr: 'error: the folder "." has no story (kind: Scenario) in it\n'
    })
  })
})
