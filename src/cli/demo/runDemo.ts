import * as Effect from "effect/Effect"
import { join } from "node:path"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { printLines } from "../terminal/terminal.ts"
import { packageRoot } from "../../platform/packageRoot.ts"
import { runStages } from "../run/runFiles.ts"
import { virtualClock } from "../flags/sharedFlags.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { undoRollout } from "../../kubernetes/apps/revisions/undoRollout.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { AppliedObject } from "../rendering/renderers.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { RunOptions } from "../rendering/openRenderedCluster.ts"

const narrations = [
  "Act 1: web comes up in version 1.0.",
  "Act 2: version 2.0 replaces it step by step; four of five Pods are there to answer at any time.",
  "Act 3: an image that cannot be pulled. The old Pods go on, and after ten minutes the deadline is hit.",
  "Act 4: undo. The template of the revision before is written again, and web is whole."
]

/** Exits 0 although the third file fails as intended. */
export const runDemo = (
  options: Pick<RunOptions, "output" | "seed" | "inspectPort" | "inspectOnly">
): Effect.Effect<ExitCode> => {
  const examples = join(packageRoot(), "scripts", "examples")
  const files = ["web-v1.yaml", "web-v2.yaml", "web-bad.yaml"].map((name) => join(examples, name))
  return runStages(
    {
      ...options,
      files,
      behaviour: join(examples, "behaviours.yaml"),
      clock: virtualClock,
      nodes: 3,
      pace: "slow"
    },
    (input, cluster) =>
      [
        ...input.files.map(({ documents }) => applyDocuments(cluster.store, documents)),
        undoDeployment(cluster, "default/web")
      ].map((apply, index) => ({ title: narrations[index] ?? "", apply }))
  ).pipe(
    Effect.map((exitCode) => {
      if (exitCode === 2) return 2
      // JSON output must be one object.
      if (options.output !== "json") printLines(nextSteps)
      return 0
    })
  )
}

const nextSteps = [
  "",
  "What to try next:",
  "  charthouse up -f FILE       your own manifests, for kubectl and in a browser",
  "  charthouse plan -f FILE     what a rollout will do, before it is done",
  "  charthouse chart deployment the statechart that has just run",
  "  charthouse --help           all commands"
]

const undoDeployment = (
  { view, store }: Cluster["Service"],
  key: string
): Effect.Effect<ReadonlyArray<AppliedObject>> =>
  Effect.suspend(() => {
    const deployment = view.get(resources.deployments, key)
    if (deployment === undefined) return Effect.succeed([])
    const rollback = undoRollout(deployment, view.controlled(resources.replicaSets, deployment.metadata.uid))
    if ("refusal" in rollback) return Effect.succeed([])
    return store.update(rollback.updatedObject).pipe(
      Effect.orDie,
      Effect.map((object) => [{ outcome: "rolled back", object }])
    )
  })
