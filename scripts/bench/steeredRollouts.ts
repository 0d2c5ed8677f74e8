import { expectComplete, steeredManifest, webManifest } from "./fixtures.ts"
import { multiLineMeasure, timed } from "./measure.ts"
import type { OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Steering } from "./fixtures.ts"
import type { MeasurementsByLine } from "./measure.ts"

/** What steering costs in the simulator: rollouts of the same Pods in clusters side by side, in turns. */
const pods = 20
const rounds = 60
/** Code is warm and the history of revisions is full after these. */
const roundsBefore = 20
const bound = 1.3

const holdMillis = 60_000
const hold = `{ hold: ${holdMillis / 1000}s }`

interface Rollout extends Steering {
  /** The time that passes in the cluster once the rollout is complete. */
  readonly waitMillis?: number
}

const rollouts = {
  unsteered: {},
  unsteeredWaiting: { waitMillis: 2 * holdMillis },
  automaticRollback: { strategy: "automaticRollback" },
  canary: { strategy: "canary: { steps: [{ approve: 100% }] }", isGated: true },
  holdingCanary: {
    strategy: `canary: { steps: [{ approve: 1 }, ${hold}, { approve: 25% }, ${hold}, { approve: 100% }] }`,
    isGated: true
  }
} satisfies Readonly<Record<string, Rollout>>

type RolloutName = keyof typeof rollouts

/** Time that passes in a cluster costs CPU by itself: a canary that holds is compared with a rollout that waits as long. */
const lines: ReadonlyArray<readonly [line: string, steered: RolloutName, beside: RolloutName]> = [
  ["20 Pods steered by automaticRollback, beside unsteered, CPU", "automaticRollback", "unsteered"],
  ["20 Pods steered by a canary, beside unsteered, CPU", "canary", "unsteered"],
  [
    "20 Pods steered by a canary that holds for 2m, beside unsteered and 2m",
    "holdingCanary",
    "unsteeredWaiting"
  ]
]

const roll = async (cluster: OpenCluster, version: string, rollout: Rollout): Promise<void> => {
  const { spec } = steeredManifest(webManifest(pods, version), rollout)
  await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec })
  await expectComplete(cluster)
  if (rollout.waitMillis !== undefined) await cluster.advance(`${rollout.waitMillis / 1000}s`)
}

/** What other programs take of the machine makes rollouts slower and never faster. */
const fastQuarter = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 2] ?? 0

const measureRollouts = async (checkout: Checkout): Promise<MeasurementsByLine> => {
  const { openCluster } = await checkout.library()
  const measured = await Promise.all(
    Object.entries<Rollout>(rollouts).map(async ([name, rollout]) => {
      const cluster = await openCluster({ nodes: 2, seed: 3 })
      await cluster.create(steeredManifest(webManifest(pods, "v0"), rollout))
      await expectComplete(cluster)
      return { name, rollout, cluster, millis: [] as Array<number> }
    })
  )
  for (let round = 1; round <= roundsBefore + rounds; round += 1) {
    // A garbage collection that comes once a round would else meet the same rollout each time.
    const first = round % measured.length
    for (const { cluster, rollout, millis } of [...measured.slice(first), ...measured.slice(0, first)]) {
      const { cpuMillis } = await timed(() => roll(cluster, `v${round}`, rollout))
      if (round > roundsBefore) millis.push(cpuMillis)
    }
  }
  await Promise.all(measured.map(({ cluster }) => cluster.close()))
  const millisOf = (wanted: RolloutName): number =>
    fastQuarter(measured.find(({ name }) => name === wanted)?.millis ?? [])
  return Object.fromEntries(
    lines.map(([line, steered, beside]) => {
      const [millis, millisBeside] = [millisOf(steered), millisOf(beside)]
      const note = `a rollout ${millis.toFixed(1)} ms, unsteered ${millisBeside.toFixed(1)} ms`
      return [line, { value: millis / millisBeside, unit: "x", bound, note }]
    })
  )
}

const names = lines.map(([line]) => line) as [string, ...Array<string>]

export const steeredRolloutMeasures = [multiLineMeasure(names, measureRollouts)]
