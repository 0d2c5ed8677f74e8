import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { charthouse } from "../cli/harness/charthouse.ts"
import { findKubectls } from "../../scripts/kubectl.ts"
import { makeContextKubeconfig } from "../../src/client/contextKubeconfig.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isSteeredAs, openSteeredNamespace } from "./steeredNamespace.ts"
import { openSteerTarget } from "./steerTarget.ts"
import { projectPath } from "../projectPath.ts"
import type { Deployment, Pod } from "../../src/kubernetes/meta/objects.ts"

/** Without ages and hashes, the namespace of the test, what later versions and other kubelets say besides, and spaces that only align. */
const stable = (text: string): string =>
  text
    .replaceAll(/<invalid>|\b(?:\d+m)?\d+s\b/gu, "AGE")
    .replaceAll(/ -n steer-\S+/gu, "")
    .replaceAll(/(\bshop-\w+) from \d+ to /gu, "$1 to ")
    .replaceAll(": ErrImagePull: manifest unknown", "")
    .replaceAll(/\bshop-[a-f0-9]{8,10}\b/gu, "shop-HASH")
    .replaceAll(/\s+/gu, " ")
    .trim()

const [kubectl] = (await findKubectls()).found
const readme = readFileSync(projectPath("src/steer/README.md"), "utf8")
const [, block = ""] = /## A bad image is taken back\n[^]*?```console\n([^]*?)```/u.exec(readme) ?? []
const session = block
  .split("$ ")
  .slice(1)
  .map((part) => {
    const [line = "", ...shown] = part.trimEnd().split("\n")
    return { line, shown: shown.map(stable).filter((it) => it !== "…") }
  })

const somePodWaits = (pods: ReadonlyArray<Pod>): boolean =>
  pods.some(({ status }) =>
    status.containerStatuses?.some(({ state }) => state?.waiting?.reason === "ImagePullBackOff")
  )

const isBack = (deployment: Deployment): boolean =>
  isSteeredAs("RolledBack")(deployment) &&
  conditionOf(deployment.status.conditions, "Progressing")?.reason === "NewReplicaSetAvailable"

describe("src/steer/README.md", () => {
  it.skipIf(kubectl === undefined)("shows a bad image that is taken back, as kubectl sees it", async () => {
    // Not faster: the budget of a minute must not be over before a command has printed.
    const target = await openSteerTarget({ speed: 5, tls: true })
    const folder = mkdtempSync(join(tmpdir(), "charthouse-steer-"))
    try {
      await using place = await openSteeredNamespace(target)
      const config = join(folder, "config")
      writeFileSync(config, makeContextKubeconfig(target.context, place.name))
      await place.steer()
      const run = async (line: string): Promise<string> => {
        const [program, ...args] = [...line.split(" "), "--kubeconfig", config]
        if (program === "npx") return (await charthouse(args.slice(1))).stdout
        const cwd = projectPath(".")
        return (await promisify(execFile)(kubectl?.path ?? "", args, { cwd })).stdout
      }
      /** Its user takes a moment before these. */
      const waits = new Map<string, () => Promise<unknown>>([
        ["npx charthouse explain deployment/shop", () => place.untilPods("no Pod can pull", somePodWaits)],
        ["kubectl describe deployment shop", () => place.until("the rollout back is complete", isBack)]
      ])
      const missing: Array<string> = []
      for (const { line, shown } of session) {
        await waits.get(line)?.()
        waits.delete(line)
        const printed = stable(await run(line))
        missing.push(...shown.filter((it) => !printed.includes(it)))
      }
      expect(session.length).toBeGreaterThan(7)
      expect(missing).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
      await target.close()
    }
  })
})
