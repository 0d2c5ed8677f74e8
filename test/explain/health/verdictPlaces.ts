import { explainerFor } from "../../../src/explain/remote/explainers.ts"
import { fleetHealth } from "../../../src/page/fleet/fleetHealth.ts"
import { makeClusterStory } from "../../../src/page/story/clusterStory.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { readPlacement, readRolloutObjects } from "../../../src/explain/remote/readRollout.ts"
import { rolloutOverviewLines } from "../../../src/cli/get/rolloutOverview.ts"
import { kindsWithServingPods } from "../../../src/kubernetes/apps/servingPods.ts"
import { workloadVerdictText } from "../../../src/explain/health/workloadVerdict.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { RemoteCluster } from "../../../src/client/remoteCluster.ts"
import type { WorkloadHealth } from "../../../src/explain/health/healthLeads.ts"
import type { WorkloadVerdict } from "../../../src/explain/health/workloadVerdict.ts"

export interface VerdictPlaces {
  readonly health: WorkloadHealth
  /** What each place says first of the workload. */
  readonly texts: Readonly<Record<"explain" | "card", string> & Partial<Record<"get rollout", string>>>
  /** `2 of 5 available`, as its card and its lane of the timeline have it; undefined where Pods do not serve. */
  readonly figures: Readonly<Record<"card" | "lane", string>> | undefined
  /** The sentences of its recording. */
  readonly story: ReadonlyArray<string>
}

/** What is said of `KIND/NAME` wherever it is shown; the cluster has to record. */
export const verdictPlaces = async (cluster: OpenCluster, workload: string): Promise<VerdictPlaces> => {
  const remote = clientOf(cluster)
  const explanation = await explainerFor(workload)?.(remote)
  const { verdict, object } = explanation ?? {}
  if (verdict === undefined || object === undefined) throw new Error(`${workload} has no verdict`)
  const { health, progress, lead, cause } = verdict
  const { card, lane, story } = await recordedVerdict(cluster, object.metadata.uid)
  return {
    health: { health, progress, lead, cause },
    texts: {
      explain: workloadVerdictText(verdict),
      card: card === undefined ? "none" : workloadVerdictText(card),
      ...(object.kind === "Deployment" ? { "get rollout": await overviewTitle(cluster, remote) } : {})
    },
    figures: lane === undefined || card === undefined ? undefined : { card: card.figures, lane },
    story
  }
}

const clientOf = (cluster: OpenCluster): RemoteCluster =>
  ({
    get: cluster.get,
    list: cluster.list,
    clusterNowMillis: () => Promise.resolve(Number(cluster.now())),
    namespace: "default"
  }) as unknown as RemoteCluster

const overviewTitle = async (cluster: OpenCluster, remote: RemoteCluster): Promise<string> => {
  const objects = await readRolloutObjects(remote, "web")
  const placed = { ...objects, ...(await readPlacement(remote, objects)) }
  const lines = rolloutOverviewLines(placed, { nowMillis: Number(cluster.now()), palette: plainPalette })
  return lines[0] ?? ""
}

const recordedVerdict = async (
  cluster: OpenCluster,
  uid: string
): Promise<{
  readonly card: WorkloadVerdict | undefined
  readonly lane: string | undefined
  readonly story: ReadonlyArray<string>
}> => {
  const opened = parseRecording(await cluster.recording())
  if (!("history" in opened)) throw new Error(opened.problem)
  const { history } = opened
  const tracks = history.series.tracks().filter((track) => track.uid === uid)
  const story = makeClusterStory(history, tracks)
  while (!story.readSlice(Infinity)) continue
  const [track] = tracks
  const row = track?.rows.at(-1)
  return {
    lane:
      track === undefined || row === undefined || !kindsWithServingPods.has(track.kind)
        ? undefined
        : `${row.available} of ${row.desired} available`,
    card: fleetHealth(history.fleetAt(undefined)).get(uid),
    story: story.sentences().map(({ text }) => text)
  }
}

/** What the story of a workload in trouble must have told; undefined for one without. */
export const storyTextOf = ({ lead, cause }: WorkloadHealth): string | undefined =>
  cause === undefined || untroubledLeads.has(lead) ? undefined : `${lead}: ${cause}`

const untroubledLeads: ReadonlySet<string> = new Set(["complete", "idle", "paused", "suspended"])
