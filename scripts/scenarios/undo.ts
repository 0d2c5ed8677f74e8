// A version that crashes is undone: the template of the revision before is written again.
import { openCluster, resources } from "charthouse"
import { expect, podsByVersion, say, theEnd, watchPods, web } from "./story.ts"

await using cluster = await openCluster({
  // Every Pod of version 2.0 ends with an error two seconds after its start, again and again.
  behaviours: [{ name: "crashes", match: { image: "*:2.0" }, exit: { after: "2s", code: 3 }, ready: "10s" }]
})
const deployment = { resource: resources.deployments, name: "web" }
const { seen, beginAnew } = watchPods(cluster)
const probed = (version: string) => {
  const { spec, ...rest } = web(version)
  const probe = { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 }
  const containers = [{ name: "web", image: `registry.example/web:${version}`, readinessProbe: probe }]
  const template = { metadata: { labels: { app: "web", version } }, spec: { containers } }
  return { ...rest, spec: { ...spec, template } }
}

await cluster.apply(probed("1.0"))
await cluster.rollout("web")
say(cluster, "web 1.0 runs.")

beginAnew()
await cluster.apply(probed("2.0"))
const failed = await cluster.rollout("web")
say(cluster, failed.message)
expect("the rollout to fail", failed.outcome === "failed")
expect("never fewer than 4 ready Pods", seen.readyFewest >= 4)

const { items } = await cluster.list(resources.replicaSets)
const revision = (object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
}) => Number(object.metadata.annotations?.["deployment.kubernetes.io/revision"])
const previous = items.find((replicaSet) => revision(replicaSet) === 1)
const { "pod-template-hash": _hash, ...labels } = previous?.spec.template.metadata?.labels ?? {}
const template = { ...previous?.spec.template, metadata: { labels } }
await cluster.patch(deployment, [{ op: "replace", path: "/spec/template", value: template }])
say(cluster, "The template of revision 1 is written again, as `kubectl rollout undo` does it.")

const { outcome, deployment: healed } = await cluster.rollout("web")
const versions = await podsByVersion(cluster)
say(
  cluster,
  `All Pods are of 1.0 again, and that is revision ${healed === undefined ? "?" : revision(healed)} now.`
)
expect("the rollout to complete", outcome === "complete")
expect("five Pods of 1.0 and no others", versions["1.0"] === 5 && Object.keys(versions).length === 1)
expect("the old ReplicaSet to be revision 3", healed !== undefined && revision(healed) === 3)
expect("never fewer than 4 ready Pods on the way back", seen.readyFewest >= 4)
theEnd(cluster)
