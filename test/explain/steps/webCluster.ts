import { openCluster } from "../../../src/cluster/openCluster.ts"
import { stepText } from "../../../src/explain/steps/step.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { OpenCluster, OpenOptions } from "../../../src/cluster/openCluster.ts"
import type { Step } from "../../../src/explain/steps/step.ts"

/** A cluster in which Deployment `web` has been created and has settled. */
export const withWeb = async (
  manifest: Parameters<typeof deploymentManifest>[0],
  options: OpenOptions = {}
): Promise<OpenCluster> => {
  const cluster = await openCluster({ why: true, behaviour: "steady", ...options })
  await cluster.create(deploymentManifest(manifest))
  await cluster.settle("30m")
  return cluster
}

export const stepsOfWeb = (cluster: OpenCluster): Promise<ReadonlyArray<Step>> =>
  cluster.why({ resource: "deployments.apps", name: "web" })

export const patchWeb = (cluster: OpenCluster, spec: object) =>
  cluster.patch({ resource: "deployments.apps", name: "web" }, { spec })

export const anImage = (version: string, image = "app"): object => ({
  template: { spec: { containers: [{ name: "app", image: `registry.example/${image}:${version}` }] } }
})

/** The texts of the Deployment's steps after a number, optionally with those of its ReplicaSets. */
export const stepTextsSince = async (
  cluster: OpenCluster,
  since: number,
  { withReplicaSets = false } = {}
): Promise<string> => {
  const items = withReplicaSets ? (await cluster.list("replicasets.apps")).items : []
  const each = await Promise.all([
    stepsOfWeb(cluster),
    ...items.map(({ metadata: { name } }) => cluster.why({ resource: "replicasets.apps", name }))
  ])
  const steps = each
    .flat()
    .filter(({ number }) => number > since)
    .sort((a, b) => a.number - b.number)
  return `${steps.map(stepText).join("\n\n")}\n`
}

export const lastStepNumber = async (cluster: OpenCluster): Promise<number> =>
  (await stepsOfWeb(cluster)).at(-1)?.number ?? 0
