import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { charthouse } from "../harness/charthouse.ts"
import { fetchWithToken, serving } from "../harness/servingCommand.ts"
import { complete, setImage, storyOf } from "../harness/storyFiles.ts"

const folder = temporaryFolder()
const file = join(folder, "story.yaml")
writeFileSync(
  file,
  storyOf({
    steps: [
      setImage,
      complete,
      { scale: "deployment/web", to: 9, at: "2m" },
      { scale: "deployment/web", to: 4, at: "4m" }
    ]
  })
)

it("run --up serves a story at the moment of --until, with its clock paused", async () => {
  const args = ["run", file, "--until", "3m", "--up", "--no-tls"]
  const { url, token, end, printed } = await serving(args, /Ctrl-C ends it/)
  expect(printed()).toContain("# web with seed 1, 3m since it began")
  const deployment = await fetchWithToken(url, token, "/apis/apps/v1/namespaces/default/deployments/web")
  expect(await deployment.json()).toMatchObject({
    spec: { replicas: 9, template: { spec: { containers: [{ image: "web:2" }] } } },
    status: { replicas: 9, availableReplicas: 9 }
  })
  // The recording has all earlier steps.
  expect(printed()).toMatch(/# page {2}http:\S+#token=/)
  const recorded = await (await fetchWithToken(url, token, "/charthouse/v1/recording")).text()
  const notes = recorded.split("\n").filter((line) => line.includes('"type":"note"'))
  expect(recorded).toContain('"title":"web, seed 1"')
  expect(notes).toHaveLength(3)
  expect(JSON.parse(notes[2] ?? "")).toMatchObject({ step: 3, text: "scale deployment/web to 9" })
  expect(await end("SIGTERM")).toBe(0)
})

it("run --up serves a story that ended before --until at its end, with its time and its failure", async () => {
  const rows = [
    { spec: { limit: { time: "90s" } }, expectedText: "# web with seed 1, 1m30s since it began, not 3h" },
    {
      spec: { steps: [{ expect: "available = 7" }] },
      expectedText: "step 1: deployment/web available is 6, not = 7"
    }
  ]
  for (const [index, { spec, expectedText }] of rows.entries()) {
    const short = join(folder, `short${index}.yaml`)
    writeFileSync(short, storyOf(spec))
    const { end, printed } = await serving(
      ["run", short, "--until", "3h", "--up", "--no-tls"],
      /Ctrl-C ends it/
    )
    expect(printed()).toContain(expectedText)
    expect(await end("SIGTERM")).toBe(0)
  }
})

it("run --up plays the rest of a story when its clock is advanced", async () => {
  const kubeconfig = join(folder, "config")
  const { end, printed } = await serving(
    ["run", file, "--until", "3m", "--up", "--kubeconfig", kubeconfig],
    /Ctrl-C ends it/
  )
  const clock = (...args: ReadonlyArray<string>) =>
    charthouse(["clock", ...args, "--kubeconfig", kubeconfig, "-o", "json"])
  const before = JSON.parse((await clock("now")).stdout) as { readonly now: string; readonly speed: number }
  expect(before.speed).toBe(0)
  const saved = await charthouse(["snapshot", "save", "-", "--kubeconfig", kubeconfig])
  expect(saved).toMatchObject({
    code: 2,
    stderr:
      "error: no snapshot can be taken now: the story goes on, with step 4 of 4: move the clock until it is over\n"
  })
  const later = JSON.parse((await clock("advance", "2m")).stdout) as { readonly now: string }
  expect(Date.parse(later.now) - Date.parse(before.now)).toBe(120_000)
  // Printed times count from the beginning of the story.
  expect((await charthouse(["snapshot", "save", "-", "--kubeconfig", kubeconfig])).code).toBe(0)
  expect(printed()).toMatch(/\n +\+240\.000s .*ScalingReplicaSet/)
  expect(await end("SIGTERM")).toBe(0)
})
