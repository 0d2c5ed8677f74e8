import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"

const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "app:v1" }] }
`

it("a served cluster is saved, and another server goes on from the snapshot", async () => {
  const folder = temporaryFolder()
  const [kubeconfig, file, snapshotFile] = ["config", "web.yaml", "world.json"].map((name) =>
    join(folder, name)
  )
  writeFileSync(file ?? "", manifest)
  const serve = (...words: ReadonlyArray<string>) =>
    up([...words, "--kubeconfig", kubeconfig ?? ""], /Ctrl-C ends it/)
  const ask = (...words: ReadonlyArray<string>) => charthouse([...words, "--kubeconfig", kubeconfig ?? ""])
  const now = async () =>
    (JSON.parse((await ask("clock", "now", "-o", "json")).stdout) as { readonly now: string }).now

  const first = await serve("-f", file ?? "", "--seed", "7", "--clock", "virtual")
  await ask("clock", "advance", "123s")
  expect(await ask("snapshot", "save", snapshotFile ?? "")).toMatchObject({ code: 0, stdout: "", stderr: "" })
  const saved = await now()
  const { stdout } = await ask("snapshot", "save", "-")
  expect(stdout).toBe(readFileSync(snapshotFile ?? "", "utf8"))
  await first.end("SIGTERM")

  // The clock stays where it was.
  const second = await serve("--snapshot", snapshotFile ?? "")
  expect(second.printed()).toContain("seed 7, clock virtual, 3 nodes")
  expect(await now()).toBe(saved)
  const { stdout: again } = await ask("snapshot", "save", "-")
  const podsIn = (text: string): unknown => (JSON.parse(text) as { objects: { pods: unknown } }).objects.pods
  expect(podsIn(again)).toEqual(podsIn(stdout))
  await second.end("SIGTERM")

  expect(await ask("snapshot", "save", snapshotFile ?? "")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("error: no cluster is being served: there is no kubeconfig ")
  })
})

it.each([
  {
    why: "a file that does not exist",
    words: ["--snapshot", "FOLDER/none.json"],
    says: "there is no such place"
  },
  {
    why: "a truncated file",
    words: ["--snapshot", "FOLDER/cut.json"],
    says: "not a snapshot that can be read: it is cut off"
  },
  {
    why: "--nodes beside --snapshot",
    words: ["--snapshot", "FOLDER/cut.json", "--nodes", "4"],
    says: "it says how many nodes there are, and --nodes cannot be given with it"
  }
])("up refuses $why", async ({ words, says }) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "cut.json"), '{ "apiVersion": "charthouse.dev/v1", "kind": "Snap')
  const answer = await charthouse(["up", ...words.map((word) => word.replace("FOLDER", folder))])
  expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining(says) })
})
