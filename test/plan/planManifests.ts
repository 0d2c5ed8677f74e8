import * as Effect from "effect/Effect"
import { serviceManifest } from "../builders.ts"
import { parseAssumptions } from "../../src/plan/assumptions.ts"
import { planRollout } from "../../src/plan/planRollout.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import type { Plan, RolloutPlan } from "../../src/plan/summarizePlan.ts"
import type { PlanInput } from "../../src/plan/seeds/playSeed.ts"

type Manifest = Parameters<typeof deploymentManifest>[0]

const documentsOf = (manifest: Manifest, more: ReadonlyArray<object> = []) =>
  readManifestObjects([deploymentManifest(manifest), ...more]).documents

/** The Service of the Deployment called web. */
export const service = serviceManifest()

export const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } }
})
/** A Pod takes ten seconds to start, five to stop, and nothing for all else. */
export const slowPods = "schedule=0s,pull=0s,start=10s,ready=0s,terminate=5s"
export const readinessProbed = { readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 1 } }
export const preStopSleep = (seconds: number) => ({
  ...readinessProbed,
  lifecycle: { preStop: { sleep: { seconds } } }
})

/** Plans the next version of a Deployment called web. */
export const planOf = (options: {
  readonly from?: Manifest | undefined
  readonly next: Manifest
  readonly assume?: string
  readonly seeds?: number
  readonly planWorld?: Partial<PlanInput>
  /** Other objects, before and after. */
  readonly beside?: ReadonlyArray<object>
  /** Other objects before, when they differ. */
  readonly fromBeside?: ReadonlyArray<object>
}): Promise<Plan> => {
  const { from, next, assume, seeds = 1, planWorld, beside, fromBeside = beside } = options
  const behaviour = assume === undefined ? undefined : parseAssumptions(assume)
  if (behaviour?.ok === false) throw new Error(behaviour.problems.map(({ message }) => message).join())
  return Effect.runPromise(
    planRollout(
      {
        next: documentsOf(next, beside),
        ...(from === undefined ? {} : { from: documentsOf(from, fromBeside) }),
        ...(behaviour?.value.behaviour === undefined ? {} : { behaviour: behaviour.value.behaviour }),
        ...(behaviour === undefined ? {} : { traffic: behaviour.value.traffic }),
        ...planWorld
      },
      Array.from({ length: seeds }, (_, index) => index + 1)
    )
  )
}

export const adviceTexts = ({ advice, remarks }: RolloutPlan): ReadonlyArray<string> => [
  ...advice.map(({ text }) => text),
  ...remarks
]

/** The plan of a rollout from v1 to v2, which differ only in their image. */
export const planNext = async (
  manifest: Manifest,
  options: Omit<Parameters<typeof planOf>[0], "from" | "next"> = {}
): Promise<RolloutPlan> => {
  const { rollouts } = await planOf({ from: manifest, next: { ...manifest, version: "v2" }, ...options })
  const [rollout] = rollouts
  if (rollout === undefined) throw new Error("there is no rollout")
  return rollout
}
