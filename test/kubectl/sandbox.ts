import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { serve } from "../../src/cluster/serving/serveCluster.ts"
import { makeNormalize } from "./normalizeOutput.ts"
import type { Scope } from "effect/Scope"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { Kubectl } from "../../scripts/kubectl.ts"
import type { Normalize } from "./normalizeOutput.ts"

/** A served cluster on a paused clock, and a home folder for a kubectl configured for it. */
export interface KubectlSandbox {
  readonly cluster: Cluster["Service"]
  /** Working folder of commands, which touch no files outside. */
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  readonly normalize: Normalize
  /** Number of requests served so far. */
  readonly requests: () => number
}

/** Pods with even delays, so that ages are predictable. */
const even: Behaviour = {
  name: "even",
  schedule: "0s",
  pull: { delay: "1s" },
  start: "0s",
  ready: "1s",
  terminate: "1s"
}

/** Behaviours of images with these tags. */
const behaviours: ReadonlyArray<Behaviour> = [
  { name: "busy", usage: { cpu: "0", memory: "48Mi" }, load: { perSecond: 100, cpuPerRequest: "2m" } },
  { ...even, name: "missing", match: { image: "*:missing" }, pull: { delay: "1s", failures: "forever" } },
  { ...even, name: "crashing", match: { image: "*:crashing" }, exit: { after: "1s" } },
  { ...even, name: "unready", match: { image: "*:unready" }, ready: "1h" },
  { ...even, name: "stubborn", match: { image: "*:stubborn" }, terminate: "1h" }
]

/**
 * kubectl computes ages by its own clock. For kubectl the cluster started nine and a half days ago, so that its ages
 * are all `9d`; ages computed by the server are exact.
 */
const agoMillis = 9.5 * 86_400_000

export const openKubectlSandbox = (kubectl: Kubectl): Effect.Effect<KubectlSandbox, never, Scope> =>
  Effect.gen(function* () {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "charthouse-kubectl-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const startMillis = Math.floor((Date.now() - agoMillis) / 1000) * 1000
    const cluster = yield* makeCluster({ startMillis, behaviour: even, behaviours, seed: 7 })
    let requests = 0
    const runOnTimeline: typeof cluster.clientAccess.runOnTimeline = (effect) => {
      requests += 1
      return cluster.clientAccess.runOnTimeline(effect)
    }
    const clientAccess = { ...cluster.clientAccess, runOnTimeline }
    const { url, token, kubeconfig } = yield* serve({ ...cluster, clientAccess })
    cpSync(join(import.meta.dirname, "manifests"), home, { recursive: true })
    const bin = join(home, ".bin")
    mkdirSync(bin)
    symlinkSync(kubectl.path, join(bin, "kubectl"))
    writeFileSync(join(home, ".kubeconfig"), kubeconfig, { mode: 0o600 })
    const environment = {
      HOME: home,
      TMPDIR: home,
      KUBECONFIG: join(home, ".kubeconfig"),
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      TZ: "UTC",
      LC_ALL: "C",
      // kubectl ends before a garbage collection pays off.
      GOGC: "off"
    }
    const replaced = { [new URL(url).host]: "127.0.0.1:6443", [token]: "<token>", [home]: "~" }
    const normalize = makeNormalize({ cluster, startMillis, replaced })
    return { cluster, home, environment, normalize, requests: () => requests }
  }).pipe(Effect.orDie)
