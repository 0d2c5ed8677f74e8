import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { aDeployment, aPod, deployments, patchType, pods, replicaSets } from "./drafts.ts"
import { inWorld, openWorld, type Json, type World } from "./world.ts"

const web = `${deployments}/web`
const inDefault = "/api/v1/namespaces/default"
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"

/** `kubelet/status: status.phase status.podIP`: an entry with its fields down to the second level. */
const entryText = ({ manager, subresource, fieldsV1 }: Json): string =>
  `${manager}${subresource === undefined ? "" : `/${subresource}`}: ${pathsIn(fieldsV1, 2).join(" ")}`

const pathsIn = (fields: Json, depth: number): ReadonlyArray<string> =>
  Object.entries<Json>(fields).flatMap(([name, below]) => {
    if (name === ".") return []
    const inner = depth > 1 ? pathsIn(below, depth - 1) : []
    return inner.length === 0 ? [name.slice(2)] : inner.map((path) => `${name.slice(2)}.${path}`)
  })

const managersOf = ({ metadata }: Json): ReadonlyArray<string> =>
  metadata.managedFields.map(entryText).toSorted()
const entryOf = ({ metadata }: Json, manager: string, subresource?: string): Json =>
  metadata.managedFields.find((it: Json) => it.manager === manager && it.subresource === subresource)

const settle = ({ cluster }: World): Promise<boolean> => Effect.runPromise(cluster.settle())
const patch = ({ request }: World, manager: string, body: Json, path = web): Promise<Json> =>
  request("PATCH", `${path}?fieldManager=${manager}`, { body, headers: patchType.merge })
const apply = ({ request }: World, manager: string, body: Json, path = web): Promise<Json> =>
  request("PATCH", `${path}?fieldManager=${manager}`, { body, headers: patchType.apply })

const service = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }
const greedy = { containers: [{ name: "app", image: "a", resources: { requests: { cpu: "999" } } }] }
const newTemplate = { metadata: { annotations: { again: "1" } } }

/** A Deployment that was created and rolled once, its Service, and a Pod that fits on no node. */
const ordinaryLife = async (world: World): Promise<void> => {
  await world.request("POST", `${inDefault}/services?fieldManager=us`, { body: service })
  await world.request("POST", `${deployments}?fieldManager=us`, { body: aDeployment() })
  await world.request("POST", `${pods}?fieldManager=us`, { body: aPod({ name: "greedy", pod: greedy }) })
  await settle(world)
  await patch(world, "roller", { spec: { template: newTemplate } })
  await settle(world)
}

const ofDeployment =
  "spec.progressDeadlineSeconds spec.replicas spec.revisionHistoryLimit spec.selector spec.strategy"
const ofContainers = "spec.dnsPolicy spec.enableServiceLinks spec.restartPolicy spec.schedulerName"
const ofStatus = "status.availableReplicas status.observedGeneration status.readyReplicas status.replicas"

describe("what everyone has written of", () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ nodes: 1 })
    await ordinaryLife(world)
  })
  afterAll(() => world.close())
  const get = async (path: string): Promise<Json> => (await world.request("GET", path)).json
  const replicaSetWith = async (replicas: number): Promise<Json> =>
    (await get(replicaSets)).items.find(({ spec }: Json) => spec.replicas === replicas)

  it.each<readonly [string, () => Promise<Json>, ReadonlyArray<string>]>([
    [
      "a Deployment is its clients' spec and the controller manager's status, with the revision",
      () => get(web),
      [
        "kube-controller-manager/status: metadata.annotations status.availableReplicas status.conditions " +
          "status.observedGeneration status.readyReplicas status.replicas status.terminatingReplicas " +
          "status.updatedReplicas",
        "roller: spec.template",
        `us: ${ofDeployment} spec.template`
      ]
    ],
    [
      "its ReplicaSet is all the controller manager's, the status by way of that",
      () => replicaSetWith(3),
      [
        `kube-controller-manager/status: ${ofStatus.replace(" status.o", " status.fullyLabeledReplicas status.o")} ` +
          "status.terminatingReplicas",
        "kube-controller-manager: metadata.annotations metadata.labels metadata.ownerReferences spec.replicas " +
          "spec.selector spec.template"
      ]
    ],
    [
      "its ReplicaSet of before is what is left of that, and the size that was zero at first as well",
      () => replicaSetWith(0),
      [
        "kube-controller-manager/status: status.observedGeneration status.replicas status.terminatingReplicas",
        "kube-controller-manager: metadata.annotations metadata.labels metadata.ownerReferences spec.replicas " +
          "spec.selector spec.template"
      ]
    ],
    [
      "its Pods is the controller manager's spec, without what admission and the scheduler put there, and the kubelet's status",
      async () => (await get(`${pods}?labelSelector=app=web`)).items[0],
      [
        "kube-controller-manager: metadata.annotations metadata.generateName metadata.labels " +
          `metadata.ownerReferences spec.containers ${ofContainers} spec.securityContext ` +
          "spec.terminationGracePeriodSeconds",
        "kubelet/status: status.conditions status.containerStatuses status.hostIP status.hostIPs " +
          "status.observedGeneration status.phase status.podIP status.podIPs status.startTime"
      ]
    ],
    [
      "a Pod that fits nowhere is its client's spec and the scheduler's condition",
      () => get(`${pods}/greedy`),
      [
        "kube-scheduler/status: status.conditions",
        `us: spec.containers ${ofContainers} spec.securityContext spec.terminationGracePeriodSeconds`
      ]
    ],
    [
      "a Service is its client's, without its address",
      () => get(`${inDefault}/services/web`),
      ["us: spec.internalTrafficPolicy spec.ports spec.selector spec.sessionAffinity spec.type"]
    ],
    [
      "its EndpointSlice is the controller manager's",
      async () => (await get(`${slices}?labelSelector=kubernetes.io/service-name=web`)).items[0],
      [
        "kube-controller-manager: addressType endpoints metadata.annotations metadata.generateName metadata.labels " +
          "metadata.ownerReferences ports"
      ]
    ],
    [
      "a node is its kubelet's, what it was registered with and its conditions",
      () => get("/api/v1/nodes/node-1"),
      ["kubelet/status: status.conditions", "kubelet: metadata.labels"]
    ],
    [
      "its lease as well",
      async () => (await get("/apis/coordination.k8s.io/v1/leases")).items[0],
      ["kubelet: metadata.ownerReferences spec.holderIdentity spec.leaseDurationSeconds spec.renewTime"]
    ],
    [
      "a namespace is the API server's",
      () => get("/api/v1/namespaces/default"),
      ["kube-apiserver: metadata.labels"]
    ],
    [
      "a namespace's certificate is the controller manager's",
      () => get(`${inDefault}/configmaps/kube-root-ca.crt`),
      ["kube-controller-manager: data.ca.crt metadata.annotations"]
    ]
  ])("%s", async (_what, object, managers) => {
    expect(managersOf(await object())).toEqual(managers)
  })

  it.each([
    ["Scheduled", "kube-scheduler"],
    ["Started", "kubelet"],
    ["ScalingReplicaSet", "kube-controller-manager"]
  ])("an event %s is that of %s", async (reason, manager) => {
    const { items } = await get(`${inDefault}/events`)
    const [event] = items.filter((it: Json) => it.reason === reason)
    expect(event.metadata.managedFields.map((it: Json) => it.manager)).toEqual([manager])
  })

  it("a Pod's conditions is the kubelet's but for the one that came with its node, and tells when", async () => {
    const [pod] = (await get(`${pods}?labelSelector=app=web`)).items
    const { fieldsV1, time } = entryOf(pod, "kubelet", "status")
    const types = Object.keys(fieldsV1["f:status"]["f:conditions"]).toSorted()
    expect(types).toEqual(
      ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"].map(
        (it) => `k:{"type":"${it}"}`
      )
    )
    // A time that is null is a field as well.
    expect(Object.keys(fieldsV1["f:status"]["f:conditions"]['k:{"type":"Ready"}'])).toContain(
      "f:lastProbeTime"
    )
    expect(time).toBe(pod.status.conditions.find(({ type }: Json) => type === "Ready").lastTransitionTime)
  })

  it("an object is the same in a GET, a LIST, a watch and a table", async () => {
    const { json } = await world.request("GET", web)
    const { managedFields } = json.metadata
    expect((await get(deployments)).items[0].metadata.managedFields).toEqual(managedFields)
    const watching = await world.watch(`${deployments}?watch=1`)
    const [line] = await watching.next(1)
    watching.close()
    expect(line.object.metadata.managedFields).toEqual(managedFields)
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    const metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    const list = await world.request("GET", deployments, { headers: { accept: metadata } })
    expect(list.json.items[0].metadata.managedFields).toEqual(managedFields)
    const table = await world.request("GET", web, { headers: { accept } })
    expect(table.json.rows[0].object.metadata.managedFields).toEqual(managedFields)
  })
})

describe("a field of a controller's", () => {
  const revision = "deployment.kubernetes.io/revision"
  const wanted = (value: string): Json => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", annotations: { [revision]: value } }
  })

  it("cannot be applied over without a conflict that names its manager and its way", () =>
    inWorld(async (world) => {
      await ordinaryLife(world)
      const { code, json } = await apply(world, "ci", wanted("9"))
      expect([code, json.message]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "kube-controller-manager" with subresource "status" using apps/v1: ' +
          `.metadata.annotations.${revision}`
      ])
      expect((await apply(world, "ci", wanted("2"))).code).toBe(200)
    }))

  it("goes to the client that changes it, and back to the controller that changes it again", () =>
    inWorld(async (world) => {
      await ordinaryLife(world)
      const [current] = (await world.request("GET", replicaSets)).json.items.filter(
        ({ spec }: Json) => spec.replicas > 0
      )
      const path = `${replicaSets}/${current.metadata.name}`
      const replicasOf = ({ json }: Json): ReadonlyArray<string> =>
        json.metadata.managedFields
          .filter(({ fieldsV1 }: Json) => fieldsV1["f:spec"]?.["f:replicas"] !== undefined)
          .map(({ manager }: Json) => manager)
      expect(replicasOf(await world.request("GET", path))).toEqual(["kube-controller-manager"])
      expect(replicasOf(await patch(world, "us", { spec: { replicas: 2 } }, path))).toEqual(["us"])
      await settle(world)
      expect(replicasOf(await world.request("GET", path))).toEqual(["kube-controller-manager"])
    }))

  it("does not make a version of a write that changes nothing", () =>
    inWorld(async (world) => {
      await ordinaryLife(world)
      const before = (await world.request("GET", web)).json
      const { json } = await patch(world, "us", { spec: { replicas: 3 } })
      expect(json.metadata).toEqual(before.metadata)
      expect((await world.request("PUT", web, { body: before })).json.metadata).toEqual(before.metadata)
    }))
})

describe("who has written what", () => {
  const all = ["deployments.apps", "replicasets.apps", "pods", "nodes", "events"] as const
  const told = async (cluster: Awaited<ReturnType<typeof openCluster>>): Promise<Json> => {
    const { url, token, stop } = await cluster.serve({ tls: false })
    const paths = [deployments, replicaSets, pods, "/api/v1/nodes", `${inDefault}/events`]
    const replies = paths.map(async (path) => {
      const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      const { items } = (await reply.json()) as Json
      return items.map(({ metadata }: Json) => [metadata.name, metadata.managedFields])
    })
    const lists = await Promise.all(replies)
    await stop()
    return lists
  }

  it("is the same in a fork and in a world read from a snapshot's text, also when they have gone on", async () => {
    await using cluster = await openCluster({ nodes: 2 })
    await cluster.create(aDeployment({ metadata: { namespace: "default" } }))
    await cluster.settle()
    const snapshot = await cluster.snapshot()
    await using fork = await cluster.fork()
    await using again = await openCluster({ from: readSnapshot(snapshotText(snapshot)) })
    const now = await told(cluster)
    expect(now.flat().length).toBeGreaterThan(all.length)
    expect(await told(fork)).toEqual(now)
    expect(await told(again)).toEqual(now)
    expect(snapshotText(await again.snapshot())).toBe(snapshotText(snapshot))
    const later = await Promise.all(
      [cluster, fork, again].map(async (it) => {
        await it.patch({ resource: "deployments.apps", name: "web" }, { spec: { template: newTemplate } })
        await it.setKubelet("node-1", "stopped")
        await it.advance("10m")
        return told(it)
      })
    )
    expect(later[1]).toEqual(later[0])
    expect(later[2]).toEqual(later[0])
  })
})
