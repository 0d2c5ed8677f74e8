import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { projectPath } from "../projectPath.ts"

/** A program's folder with the TypeScript of a page, as a reader would copy it, beside the built package. */
const folder = mkdtempSync(join(tmpdir(), "charthouse-strategies-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Listings have the names of their files. The other blocks of the section are programs. */
const blocks = [
  ...readFileSync(projectPath("machines/README.md"), "utf8").matchAll(
    /(?:<!-- listing: (\S+) -->\n)?```ts\n([^]*?)```/g
  )
].map(([, path, text = ""], index) => ({ name: path === undefined ? `${index}.ts` : basename(path), text }))

const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  target: "esnext",
  module: "nodenext",
  moduleResolution: "nodenext",
  types: ["node"],
  typeRoots: [projectPath("node_modules/@types")],
  allowImportingTsExtensions: true,
  noEmit: true
}

const tsc = projectPath("node_modules/typescript/bin/tsc")

/** Rolls out with the strategy that holds, and prints how long it held. */
const program = `
  import { openCluster } from "charthouse"
  import { heldBlueGreen } from "./heldBlueGreen.ts"

  const web = (image) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "HeldBlueGreen" },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image }] } }
    }
  })
  await using cluster = await openCluster({ strategies: [heldBlueGreen] })
  await cluster.apply(web("app:v1"))
  await cluster.settle()
  const ends = []
  cluster.onChange(({ resource, object }) => {
    if (resource === "replicasets.apps" && object.spec.replicas === 0) ends.push(cluster.now())
  })
  await cluster.apply(web("app:v2"))
  await cluster.settle()
  const { metadata } = await cluster.get({ resource: "deployments.apps", name: "web" })
  console.log(ends[0] - new Date(metadata.annotations["example.com/held-since"].split(" ")[1]))
`

const run = async (args: ReadonlyArray<string>) => {
  const result = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: unknown) => error as { readonly stdout: string; readonly stderr: string }
  )
  return result.stdout + result.stderr
}

beforeAll(() => {
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(projectPath(), join(folder, "node_modules/charthouse"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  for (const { name, text } of blocks) writeFileSync(join(folder, name), text)
})

describe("the TypeScript of machines/README.md", () => {
  it("imports only from the package and from its own listings", () => {
    const imported = blocks.flatMap(({ text }) =>
      [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name)
    )
    const listings = blocks.map(({ name }) => `./${name}`)
    expect(imported).toContain("charthouse/strategies")
    expect(imported.filter((name) => !name.startsWith("charthouse") && !listings.includes(name))).toEqual([])
  })

  it("compiles against the built package", async () => {
    expect(await run([tsc, "-p", "."])).toBe("")
  })

  it("does not compile where a chart names a delay, a guard or a command that does not exist", async () => {
    const listing = blocks.find(({ name }) => name === "heldBlueGreen.ts")?.text ?? ""
    const wrong = [
      { file: "delay.mts", text: listing.replace('after: "untilHeld"', 'after: "untilHelt"') },
      { file: "guard.mts", text: listing.replace('guard: "mayHold"', 'guard: "mayHelt"') },
      { file: "command.mts", text: listing.replace('"recordHold", ', '"recordHelt", ') }
    ]
    for (const { file, text } of wrong) writeFileSync(join(folder, file), text)
    const files = wrong.map(({ file }) => file)
    writeFileSync(join(folder, "tsconfig.wrong.json"), JSON.stringify({ compilerOptions, files }))
    const printed = await run([tsc, "-p", "tsconfig.wrong.json"])
    for (const file of files)
      expect(printed).toMatch(new RegExp(`${file}\\(.*error TS\\d+: Type '"\\w+Helt"' is not`))
  })

  it.each([
    { call: "openCluster", prints: "cluster.now().toISOString()", printed: "2026-01-01T00:00:00.000Z" },
    { call: "chartOf", prints: "drawing.slice(0, 4)", printed: "<svg" },
    { call: "explore", prints: "...rollout.claims.map((it) => it.verdict)", printed: "proved proved" }
  ])("runs: $call", async ({ call, prints, printed }) => {
    const { text = "" } = blocks.find((it) => it.text.includes(`await ${call}(`)) ?? {}
    writeFileSync(join(folder, `${call}.mts`), `${text}\nconsole.log(${prints})\n`)
    expect(await run([`${call}.mts`])).toBe(`${printed}\n`)
  })

  it("holds the old Pods for five minutes", async () => {
    writeFileSync(join(folder, "program.js"), program)
    expect(await run(["program.js"])).toBe("300000\n")
  })
})
