import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { aDeployment, aPod, deployments, patchType, pods, replicaSets } from "../apiObjects.ts"
import { withTestServer, openTestServer, type Json, type TestServer } from "../testServer.ts"

const web = `${deployments}/web`
const inDefault = "/api/v1/namespaces/default"
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"

/** One entry as `kubelet/status: status.phase status.podIP`, fields down to the second level. */
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

const settle = ({ cluster }: TestServer): Promise<boolean> => Effect.runPromise(cluster.settle())
const patch = ({ request }: TestServer, manager: string, body: Json, path = web): Promise<Json> =>
  request("PATCH", `${path}?fieldManager=${manager}`, { body, headers: patchType.merge })
const apply = ({ request }: TestServer, manager: string, body: Json, path = web): Promise<Json> =>
  request("PATCH", `${path}?fieldManager=${manager}`, { body, headers: patchType.apply })

const service = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }
const unschedulablePodSpec = {
  containers: [{ name: "app", image: "a", resources: { requests: { cpu: "999" } } }]
}
const newTemplate = { metadata: { annotations: { again: "1" } } }

/** Creates a Deployment, its Service and an unschedulable Pod, and rolls the Deployment once. */
const createAndRoll = async (server: TestServer): Promise<void> => {
  await server.request("POST", `${inDefault}/services?fieldManager=us`, { body: service })
  await server.request("POST", `${deployments}?fieldManager=us`, { body: aDeployment() })
  await server.request("POST", `${pods}?fieldManager=us`, {
    body: aPod({ name: "greedy", pod: unschedulablePodSpec })
  })
  await settle(server)
  await patch(server, "roller", { spec: { template: newTemplate } })
  await settle(server)
}

const deploymentFields =
  "spec.progressDeadlineSeconds spec.replicas spec.revisionHistoryLimit spec.selector spec.strategy"
const podSpecFields = "spec.dnsPolicy spec.enableServiceLinks spec.restartPolicy spec.schedulerName"
const statusFields = "status.availableReplicas status.observedGeneration status.readyReplicas status.replicas"

describe("managedFields", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await openTestServer({ nodes: 1 })
    await createAndRoll(server)
  })
  afterAll(() => server.close())
  const get = async (path: string): Promise<Json> => (await server.request("GET", path)).json
  const replicaSetWith = async (replicas: number): Promise<Json> =>
    (await get(replicaSets)).items.find(({ spec }: Json) => spec.replicas === replicas)

  it.each<readonly [string, () => Promise<Json>, ReadonlyArray<string>]>([
    [
      "of a Deployment: spec by its clients, status and revision by the controller manager",
      () => get(web),
      [
        "kube-controller-manager/status: metadata.annotations status.availableReplicas status.conditions " +
          "status.observedGeneration status.readyReplicas status.replicas status.terminatingReplicas " +
          "status.updatedReplicas",
        "roller: spec.template",
        `us: ${deploymentFields} spec.template`
      ]
    ],
    [
      "of its ReplicaSet: all by the controller manager, status as a subresource",
      () => replicaSetWith(3),
      [
        `kube-controller-manager/status: ${statusFields.replace(" status.o", " status.fullyLabeledReplicas status.o")} ` +
          "status.terminatingReplicas",
        "kube-controller-manager: metadata.annotations metadata.labels metadata.ownerReferences spec.replicas " +
          "spec.selector spec.template"
      ]
    ],
    [
      "of its old ReplicaSet: fields not rewritten later, by the controller manager",
      () => replicaSetWith(0),
      [
        "kube-controller-manager/status: status.observedGeneration status.replicas status.terminatingReplicas",
        "kube-controller-manager: metadata.annotations metadata.labels metadata.ownerReferences spec.replicas " +
          "spec.selector spec.template"
      ]
    ],
    [
      "of its Pods: spec by the controller manager, except defaults by admission and the binding, and status by the kubelet",
      async () => (await get(`${pods}?labelSelector=app=web`)).items[0],
      [
        "kube-controller-manager: metadata.annotations metadata.generateName metadata.labels " +
          `metadata.ownerReferences spec.containers ${podSpecFields} spec.securityContext ` +
          "spec.terminationGracePeriodSeconds",
        "kubelet/status: status.conditions status.containerStatuses status.hostIP status.hostIPs " +
          "status.observedGeneration status.phase status.podIP status.podIPs status.startTime"
      ]
    ],
    [
      "of an unschedulable Pod: spec by its client, its condition by the scheduler",
      () => get(`${pods}/greedy`),
      [
        "kube-scheduler/status: status.conditions",
        `us: spec.containers ${podSpecFields} spec.securityContext spec.terminationGracePeriodSeconds`
      ]
    ],
    [
      "of a Service: spec by its client, without the cluster IP",
      () => get(`${inDefault}/services/web`),
      ["us: spec.internalTrafficPolicy spec.ports spec.selector spec.sessionAffinity spec.type"]
    ],
    [
      "of its EndpointSlice: all by the controller manager",
      async () => (await get(`${slices}?labelSelector=kubernetes.io/service-name=web`)).items[0],
      [
        "kube-controller-manager: addressType endpoints metadata.annotations metadata.generateName metadata.labels " +
          "metadata.ownerReferences ports"
      ]
    ],
    [
      "of a node: metadata and conditions by its kubelet",
      () => get("/api/v1/nodes/node-1"),
      ["kubelet/status: status.conditions", "kubelet: metadata.labels"]
    ],
    [
      "of its lease: by the kubelet",
      async () => (await get("/apis/coordination.k8s.io/v1/leases")).items[0],
      ["kubelet: metadata.ownerReferences spec.holderIdentity spec.leaseDurationSeconds spec.renewTime"]
    ],
    [
      "of a namespace: by the API server",
      () => get("/api/v1/namespaces/default"),
      ["kube-apiserver: metadata.labels"]
    ],
    [
      "of kube-root-ca.crt: by the controller manager",
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
  ])("of an event %s: by %s", async (reason, manager) => {
    const { items } = await get(`${inDefault}/events`)
    const [event] = items.filter((it: Json) => it.reason === reason)
    expect(event.metadata.managedFields.map((it: Json) => it.manager)).toEqual([manager])
  })

  it("of a Pod's conditions: by the kubelet except PodScheduled, with the time of the last change", async () => {
    const [pod] = (await get(`${pods}?labelSelector=app=web`)).items
    const { fieldsV1, time } = entryOf(pod, "kubelet", "status")
    const types = Object.keys(fieldsV1["f:status"]["f:conditions"]).toSorted()
    expect(types).toEqual(
      ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"].map(
        (it) => `k:{"type":"${it}"}`
      )
    )
    // A null time is an owned field as well.
    expect(Object.keys(fieldsV1["f:status"]["f:conditions"]['k:{"type":"Ready"}'])).toContain(
      "f:lastProbeTime"
    )
    expect(time).toBe(pod.status.conditions.find(({ type }: Json) => type === "Ready").lastTransitionTime)
  })

  it("are the same in a GET, a list, a watch and a table", async () => {
    const { json } = await server.request("GET", web)
    const { managedFields } = json.metadata
    expect((await get(deployments)).items[0].metadata.managedFields).toEqual(managedFields)
    const watching = await server.watch(`${deployments}?watch=1`)
    const [line] = await watching.next(1)
    watching.close()
    expect(line.object.metadata.managedFields).toEqual(managedFields)
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    const metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    const list = await server.request("GET", deployments, { headers: { accept: metadata } })
    expect(list.json.items[0].metadata.managedFields).toEqual(managedFields)
    const table = await server.request("GET", web, { headers: { accept } })
    expect(table.json.rows[0].object.metadata.managedFields).toEqual(managedFields)
  })
})

describe("a field owned by a controller", () => {
  const revision = "deployment.kubernetes.io/revision"
  const wanted = (value: string): Json => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", annotations: { [revision]: value } }
  })

  it("conflicts with an apply, which names its manager", () =>
    withTestServer(async (server) => {
      await createAndRoll(server)
      const { code, json } = await apply(server, "ci", wanted("9"))
      expect([code, json.message]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "kube-controller-manager" with subresource "status" using apps/v1: ' +
          `.metadata.annotations.${revision}`
      ])
      expect((await apply(server, "ci", wanted("2"))).code).toBe(200)
    }))

  it("goes to the client that changes it, and back to the controller that changes it again", () =>
    withTestServer(async (server) => {
      await createAndRoll(server)
      const [current] = (await server.request("GET", replicaSets)).json.items.filter(
        ({ spec }: Json) => spec.replicas > 0
      )
      const path = `${replicaSets}/${current.metadata.name}`
      const replicasOf = ({ json }: Json): ReadonlyArray<string> =>
        json.metadata.managedFields
          .filter(({ fieldsV1 }: Json) => fieldsV1["f:spec"]?.["f:replicas"] !== undefined)
          .map(({ manager }: Json) => manager)
      expect(replicasOf(await server.request("GET", path))).toEqual(["kube-controller-manager"])
      expect(replicasOf(await patch(server, "us", { spec: { replicas: 2 } }, path))).toEqual(["us"])
      await settle(server)
      expect(replicasOf(await server.request("GET", path))).toEqual(["kube-controller-manager"])
    }))

  it("is not taken of empty labels and annotations where there are none, which make no new version", () =>
    withTestServer(async (server) => {
      const path = `${inDefault}/configmaps`
      await server.request("POST", path, { body: { metadata: { name: "bare" }, data: { a: "b" } } })
      const { json: before } = await server.request("GET", `${path}/bare`)
      const body = { metadata: { labels: {}, annotations: {} } }
      const { json } = await patch(server, "kubectl-edit", body, `${path}/bare`)
      expect(json.metadata).toEqual(before.metadata)
    }))

  it("is not taken over by a write that changes nothing", () =>
    withTestServer(async (server) => {
      await createAndRoll(server)
      const before = (await server.request("GET", web)).json
      const { json } = await patch(server, "us", { spec: { replicas: 3 } })
      expect(json.metadata).toEqual(before.metadata)
      expect((await server.request("PUT", web, { body: before })).json.metadata).toEqual(before.metadata)
    }))
})

describe("managedFields of all objects", () => {
  const all = ["deployments.apps", "replicasets.apps", "pods", "nodes", "events"] as const
  const managersOfAll = async (cluster: Awaited<ReturnType<typeof openCluster>>): Promise<Json> => {
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

  it("are equal in a fork and in a cluster opened from the snapshot's text, then and later", async () => {
    await using cluster = await openCluster({ nodes: 2 })
    await cluster.create(aDeployment({ metadata: { namespace: "default" } }))
    await cluster.settle()
    const snapshot = await cluster.snapshot()
    await using fork = await cluster.fork()
    await using again = await openCluster({ from: readSnapshot(snapshotText(snapshot)) })
    const now = await managersOfAll(cluster)
    expect(now.flat().length).toBeGreaterThan(all.length)
    expect(await managersOfAll(fork)).toEqual(now)
    expect(await managersOfAll(again)).toEqual(now)
    expect(snapshotText(await again.snapshot())).toBe(snapshotText(snapshot))
    const later = await Promise.all(
      [cluster, fork, again].map(async (it) => {
        await it.patch({ resource: "deployments.apps", name: "web" }, { spec: { template: newTemplate } })
        await it.setKubelet("node-1", "stopped")
        await it.advance("10m")
        return managersOfAll(it)
      })
    )
    expect(later[1]).toEqual(later[0])
    expect(later[2]).toEqual(later[0])
  })
})
