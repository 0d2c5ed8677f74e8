import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { deploymentYaml } from "../harness/charthouse.ts"
import { inProcess } from "../harness/inProcess.ts"
import { parseShare, shareOf, sharesMax } from "../../../src/cli/plan/shards/share.ts"

const folder = mkdtempSync(join(tmpdir(), "charthouse-shards-"))
afterAll(() => rmSync(folder, { recursive: true }))
const pathOf = (name: string) => join(folder, name)
const manifests = ["-f", pathOf("v2.yaml"), "--from", pathOf("v1.yaml"), "--seeds", "5"]
const play = (share: string, runs: string, ...args: ReadonlyArray<string>) =>
  inProcess(["plan", ...manifests, "--shard", share, "--runs", pathOf(runs), ...args])
const merge = (runs: string, ...args: ReadonlyArray<string>) =>
  inProcess(["plan", "merge", pathOf(runs), ...args])

beforeAll(async () => {
  writeFileSync(pathOf("v1.yaml"), deploymentYaml({ replicas: 2 }))
  writeFileSync(pathOf("v2.yaml"), deploymentYaml({ replicas: 2, image: "web:2" }))
  writeFileSync(pathOf("other.yaml"), deploymentYaml({ replicas: 2, image: "web:3" }))
  for (const name of ["broken", "empty"]) mkdirSync(pathOf(name))
  for (const share of ["2/3", "1/3", "3/3"]) await play(share, "all")
  await play("2/3", "some")
  await play("1/2", "mixed")
  await inProcess(["plan", "-f", pathOf("other.yaml"), "--shard", "2/2", "--runs", pathOf("mixed")])
  writeFileSync(pathOf("broken/1-of-1.runs"), "no runs")
})

describe("the shards of a plan", () => {
  it.each(["json", "markdown", "github"])(
    "give the same %s as one process, byte for byte",
    async (format) => {
      const [merged, whole] = [
        await merge("all", "-o", format),
        await inProcess(["plan", ...manifests, "-o", format])
      ]
      expect(merged.stdout).toBe(whole.stdout)
      expect(merged.stdout).toMatch(/web|rollout ships/)
    }
  )

  it("make the folder, and name the file that they write", async () => {
    expect((await play("2/3", "new/some")).stdout).toBe(`${pathOf("new/some/2-of-3.runs")}\n`)
  })

  const variable = "JOB_COMPLETION_INDEX"
  afterEach(() => delete process.env[variable])
  it("take their number from an Indexed Job", async () => {
    process.env[variable] = "2"
    expect((await play("3", "some")).stdout).toBe(`${pathOf("some/3-of-3.runs")}\n`)
  })

  it.each([
    { why: "one is missing", runs: "some", message: "of 3 shards, the runs of 1 are missing" },
    { why: "they are of two plans", runs: "mixed", message: "the runs 1/2 and 2/2 are not of the same plan" },
    { why: "a file has no runs", runs: "broken", message: "has no runs of plan --shard --runs" },
    { why: "there is none", runs: "empty", message: "has no runs of plan --shard --runs" },
    { why: "there is no folder", runs: "nowhere", message: "does not exist" }
  ])("are not merged when $why", async ({ runs, message }) => {
    const { stdout, stderr } = await merge(runs)
    expect(stderr).toContain(message)
    expect(stdout).toBe("")
  })

  it("are not merged when the manifests have changed since", async () => {
    writeFileSync(pathOf("v2.yaml"), deploymentYaml({ replicas: 2, image: "web:4" }))
    const { stderr } = await merge("all")
    expect(stderr).toContain("error: the manifests or settings have changed since the shards were played")
  })

  it.each([
    { why: "they are written nowhere", args: ["--shard", "1/2"], message: "give both" },
    { why: "only a folder is given", args: ["--runs", folder], message: "give both" },
    {
      why: "a number is too high",
      args: ["--shard", "3/2", "--runs", folder],
      message: "K/N with K from 1 to N"
    },
    { why: "no Job has set their number", args: ["--shard", "2", "--runs", folder], message: "say K/N" },
    {
      why: "a Job has no number of Pods",
      args: ["--as-job", "charthouse:1"],
      message: "--as-job needs --shard N"
    },
    {
      why: "a Job is to play one part",
      args: ["--as-job", "charthouse:1", "--shard", "1/2"],
      message: "say --shard N"
    },
    {
      why: "the Pods of a Job would read git",
      args: ["--as-job", "charthouse:1", "--shard", "2", "--base", "main"],
      message: "say --from instead of --base"
    },
    {
      why: "a cluster may change",
      args: ["--shard", "1/2", "--runs", folder, "--kubeconfig", "live"],
      message: "shards read the same files"
    }
  ])("are refused when $why", async ({ args, message }) => {
    const { stderr } = await inProcess(["plan", "-f", pathOf("v1.yaml"), ...args])
    expect(stderr).toContain(message)
  })
})

it.each([
  { text: "3/20", index: undefined, share: { index: 3, count: 20 } },
  { text: "3/20", index: "7", share: { index: 3, count: 20 } },
  { text: "20", index: "0", share: { index: 1, count: 20 } },
  { text: "20", index: "19", share: { index: 20, count: 20 } },
  { text: "20", index: "20", share: undefined },
  { text: "20", index: "", share: undefined },
  { text: "20", index: undefined, share: undefined },
  { text: "0/20", index: undefined, share: undefined },
  { text: "21/20", index: undefined, share: undefined },
  { text: `1/${sharesMax + 1}`, index: undefined, share: undefined },
  { text: "1/", index: undefined, share: undefined }
])("the share $text with the completion index $index is $share", ({ text, index, share }) => {
  const request = parseShare(text)
  expect(request === undefined ? undefined : shareOf(request, index)).toEqual(share)
})
