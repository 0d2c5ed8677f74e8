/* oxlint-disable no-control-regex -- control characters are what is looked for */
import { PassThrough } from "node:stream"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { parse } from "yaml"
import { charthouseCommand } from "../../../src/cli/commands.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { openTerminalFrame } from "../../../src/cli/terminal/terminalFrame.ts"
import { paletteFor } from "../../../src/cli/terminal/palette.ts"
import { tableLines } from "../../../src/cli/terminal/tableLines.ts"
import { wrapLine } from "../../../src/cli/terminal/wrapLine.ts"
import { charthouse as command, deploymentYaml } from "../harness/charthouse.ts"
import { aHostileServer, controls } from "../harness/hostileServer.ts"
import { inProcess } from "../harness/inProcess.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import type * as Command from "effect/cli/Command"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { RecordingHeader } from "../../../src/recording/entry.ts"
import type { Misbehaviour } from "../harness/hostileServer.ts"

/** Characters that must not reach a terminal: controls except newline, and direction overrides. */
const unsafeInLines = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/u
/** Characters that must not stand unescaped in printed JSON and YAML. */
const unsafeInDocuments = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/u

const ownColours = /\u001B\[(?:1|2|22|31|32|33|39)m/g

const folder = temporaryFolder()
/** Arguments that stand for files of the folder. */
const fileArguments = new Set(["reports", "config"])
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  fileArguments.add(name)
  return name
}
const hostile = (text: string): string => JSON.stringify(`${text}${controls}`)

const manifest = (image: string): string =>
  deploymentYaml({ image, replicas: 2 })
    .replace("metadata:\n", `metadata:\n  annotations: { kubernetes.io/change-cause: ${hostile("cause")} }\n`)
    .replace("spec:\n", "spec:\n  progressDeadlineSeconds: 10\n")
const behaviour = `
  match: { image: "*:broken" }
  pull: { failures: forever, error: ${hostile("no such manifest")} }`
const firstVersionFile = file("v1.yaml", manifest("web:1"))
const missingImageFile = file("missing.yaml", manifest("web:broken"))
const invalidFile = file("invalid.yaml", manifest(hostile("web:2")))
const refusedFile = file("refused.yaml", deploymentYaml({ name: hostile("web"), selects: hostile("web") }))
const steered = file(
  "steered.yaml",
  manifest("web:1").replace(
    "annotations: {",
    `annotations: { charthouse.dev/strategy: ${JSON.stringify(`{ ${hostile("blue")}: {} }`)},`
  )
)
const behaviours = file(
  "behaviours.yaml",
  `apiVersion: charthouse.dev/v1\nkind: Behaviour\nmetadata: { name: broken }\nspec:${behaviour}\n`
)
const story = file(
  "story.yaml",
  `apiVersion: charthouse.dev/v1
kind: Scenario
metadata: { name: ${hostile("story")} }
spec:
  steps:
    - apply: [${JSON.stringify(parse(manifest(hostile("web:2"))))}]
    - waitFor: deployment/web is complete
      within: 5s
`
)
const header: RecordingHeader = {
  type: "header",
  apiVersion: "charthouse.dev/v1",
  kind: "Recording",
  version: `9${controls}`,
  id: "id",
  title: `title${controls}`,
  seed: 1,
  number: 0,
  atMillis: 0,
  charts: {}
}
const recording = file("hostile.recording", `${JSON.stringify(header)}\n`)

let cluster: OpenCluster
let server: Awaited<ReturnType<typeof aHostileServer>>
let names: Readonly<Record<string, string>> = {}

/** A rollout stuck at an image that cannot be pulled. */
beforeAll(async () => {
  cluster = await openCluster({
    why: true,
    behaviours: [
      {
        name: "broken",
        match: { image: "*:broken" },
        pull: { failures: "forever", error: "manifest unknown" }
      }
    ]
  })
  await cluster.apply(deploymentYaml({ replicas: 2 }))
  await cluster.settle()
  await cluster.apply(deploymentYaml({ replicas: 2, image: "web:broken" }))
  await cluster.advance("45s")
  await cluster.fault({ fault: "nodeLost", node: "node-2" })
  await cluster.advance("1s")
  const pods = await cluster.list("pods")
  const pod = pods.items.find(({ spec }) => spec.containers[0]?.image === "web:broken")
  names = {
    POD: pod?.metadata.name ?? "",
    REPLICASET: pod?.metadata.ownerReferences?.[0]?.name ?? "",
    NODE: "node-2"
  }
  server = await aHostileServer(cluster)
})
afterAll(async () => {
  await server.close()
  await cluster.close()
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Commands that read from a server; REPLICASET, POD and NODE stand for object names. */
const readingFromServer: ReadonlyArray<string> = [
  "steer release",
  "get rollout web",
  "get rollout web -o json",
  "explain deployment/web",
  "explain deployment/web -o json",
  "explain rs/REPLICASET",
  "explain pod/POD",
  "explain container/POD/web",
  "explain node/NODE",
  "why deployment/web",
  "why pod/POD --last 20",
  "why deployment/web -o json",
  "fault list",
  "fault list -o json",
  "record -o -",
  "snapshot save -",
  `plan -f ${firstVersionFile} --seeds 1`,
  `measure -f ${join(folder, "measured.yaml")}`
]

/** Commands that write to a server or print little: only their errors are tested. */
const writingToServer: ReadonlyArray<string> = [
  "fault nodeLost node=node-1",
  "fault end fault-1",
  "fault end --all",
  "clock now",
  "clock advance 1s",
  "clock step",
  "clock settle",
  "clock pause",
  "clock resume",
  "clock speed 60x"
]

const rollouts = `-f ${firstVersionFile} -f ${missingImageFile} -f ${invalidFile} --behaviour ${behaviours}`
const served = "--clock virtual --kubeconfig config"

/** Commands that read files. */
const readingFiles: ReadonlyArray<string> = [
  `run ${rollouts} -o events`,
  `run ${rollouts} -o tree`,
  `run ${rollouts} -o json`,
  `run -f ${refusedFile}`,
  `run ${story} --report junit --report json --out reports`,
  `run ${story} --report junit`,
  `plan -f ${invalidFile} --from ${firstVersionFile} --behaviour ${behaviours} --seeds 1`,
  `plan -f ${refusedFile}`,
  `steer check ${steered}`,
  `replay ${recording}`,
  `up ${rollouts} -o events ${served}`,
  `up ${rollouts} -o tree ${served}`
]

/** Commands that print nothing from objects, servers or files. */
const withoutInput: ReadonlyArray<string> = [
  "demo",
  "chart",
  "get kubeconfig",
  "steer manifests --image web:1",
  "data check nowhere",
  "data compact nowhere",
  "data accept-loss nowhere",
  "data export nowhere world.json",
  `plan -f ${missingImageFile} --from ${firstVersionFile} --exhaustive --failures 0`
]

/** Expects no control characters and no forged line. */
const expectHarmless = (text: string, isDocument = false): void => {
  const plain = text.replaceAll(ownColours, process.env["FORCE_COLOR"] === "1" ? "" : "$&")
  const lines = plain.split("\n")
  const unsafe = isDocument ? unsafeInDocuments : unsafeInLines
  expect(lines.filter((line) => unsafe.test(line)).map((line) => JSON.stringify(line))).toEqual([])
  expect(lines.filter((line) => line.trimStart().startsWith("FORGED"))).toEqual([])
}

const run = async (command: string, more: ReadonlyArray<string> = []): Promise<string> => {
  const named = Object.entries(names).reduce((text, [name, value]) => text.replace(name, value), command)
  const args = named.split(" ").map((word) => (fileArguments.has(word) ? join(folder, word) : word))
  const { stdout, stderr } = await inProcess([...args, ...more])
  expectHarmless(stdout, /-o json|-o -|--report junit$|snapshot save/.test(command))
  expectHarmless(stderr)
  return stdout + stderr
}

/** The escape character as it is printed: `^[` in lines, `\u001b` in JSON, `\x1b` in quoted values. */
const shown = /\^\[\[35m|\\u001b\[35m|\\x1b\[35m/

const paint = (colours: "on" | "off"): void => {
  vi.stubEnv("FORCE_COLOR", colours === "on" ? "1" : undefined)
  vi.stubEnv("NO_COLOR", colours === "on" ? undefined : "1")
}

describe("control characters do not reach the terminal", () => {
  it.each(readingFromServer)("when a server sends them to %s", async (command) => {
    let all = ""
    const misbehaviours: ReadonlyArray<Misbehaviour> = [
      { unchangedFields: ["reason"] },
      { unchangedFields: ["name", "reason"] },
      { refuses: 403 },
      {}
    ]
    for (const [index, misbehaviour] of misbehaviours.entries()) {
      paint(index % 2 === 0 ? "on" : "off")
      server.misbehave(misbehaviour)
      all += await run(command, ["--kubeconfig", server.kubeconfig])
    }
    expect(all).toMatch(shown)
  })

  it.each(writingToServer)("when a server refuses %s with them", async (command) => {
    paint("off")
    server.misbehave({ refuses: 409 })
    expect(await run(command, ["--kubeconfig", server.kubeconfig])).toMatch(shown)
  })

  it.each(readingFiles)("when a file has them for %s", async (command) => {
    paint("on")
    expect(await run(command)).toMatch(shown)
  })

  it("when a run has them and colours are off", async () => {
    paint("off")
    const text = await run(readingFiles[0] ?? "")
    expect(text).toMatch(shown)
    expect(text).not.toContain("\u001B")
  })

  it.each(withoutInput)("when %s is run", async (command) => {
    paint("on")
    expect(await run(command)).not.toBe("")
  })

  it("when they are drawn in a frame", () => {
    paint("on")
    const written = new PassThrough({ encoding: "utf8" })
    const screen = Object.assign(written, { columns: 120, rows: 20 }) as unknown as NodeJS.WriteStream
    const { bad } = paletteFor(screen)
    const frame = openTerminalFrame(screen)
    frame.printAbove([`kept${controls}`])
    frame.draw([`drawn${controls}`, bad(`painted${controls}`)])
    const text = String(written.read())
    expectHarmless(text)
    expect(text.split("\n").filter((line) => shown.test(line))).toHaveLength(3)
    expect(text).toContain("\u001B[31mpainted^@^G^[[35m")
  })

  it("when an unexpected error has them", async () => {
    server.misbehave({ answersWith: controls })
    const { code, stdout, stderr } = await command(["clock", "now", "--kubeconfig", server.kubeconfig])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("SyntaxError: ")
    expect(stderr).toContain("^@^G^[")
    // The message spans several lines of the stack trace.
    expectHarmless(stderr.replace("\nFORGED", "\n..."))
  })

  it("with any command: these tests cover every command", () => {
    const leaves = ({ name, subcommands }: Command.Command.Any): ReadonlyArray<string> =>
      subcommands.length === 0
        ? [name]
        : subcommands.flatMap(({ commands }) => commands.flatMap(leaves)).map((leaf) => `${name} ${leaf}`)
    const tested = [...readingFromServer, ...writingToServer, ...readingFiles, ...withoutInput].map(
      (args) => `charthouse ${args} `
    )
    const untested = leaves(charthouseCommand(() => {})).filter(
      (leaf) => !tested.some((args) => args.startsWith(`${leaf} `))
    )
    expect(untested).toEqual([])
  })
})

it("a JUnit report escapes control characters", async () => {
  const reports = join(folder, "reports")
  const files = readdirSync(reports).filter((name) => name.endsWith(".xml"))
  expect(files).toHaveLength(1)
  const text = readFileSync(join(reports, files[0] ?? ""), "utf8")
  expect(text).toMatch(shown)
  expectHarmless(text)
})

it("columns and line widths are those of the escaped text", () => {
  const rows = tableLines([
    ["A", "B"],
    ["\u001B", "x"]
  ])
  expect(rows).toEqual(["A    B", "^[   x"])
  expect(wrapLine("aa\u001B\u001B bb", 6)).toEqual(["aa^[^[", "bb"])
})
