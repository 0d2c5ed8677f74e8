import { describe, expect, it } from "vitest"
import { openCluster, resources } from "../../src/index.ts"
import { selectControllers } from "../../src/controllers/managerControllers.ts"
import { deploymentManifest, podManifest } from "../builders.ts"
import type { ManagerController } from "../../src/controllers/managerControllers.ts"
import type { OpenCluster } from "../../src/index.ts"

const openSettled = async (controllers: ReadonlyArray<string>, manifests: ReadonlyArray<object> = []) => {
  const cluster = await openCluster({ controllers })
  for (const manifest of manifests) await cluster.create(manifest as ReturnType<typeof podManifest>)
  await cluster.advance("2s")
  return cluster
}

const namesOf = async (cluster: OpenCluster, resource: string): Promise<ReadonlyArray<string>> =>
  (await cluster.list(resource, { namespace: "default" })).items.map(({ metadata }) => metadata.name)

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] }
}

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}

const podWithClaim = podManifest("app", {
  containers: [{ name: "app", image: "app" }],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
})

const ephemeral = podManifest("app", {
  containers: [{ name: "app", image: "app" }],
  volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim.spec } } }]
})

describe("a cluster without a controller", () => {
  const rows: ReadonlyArray<{
    readonly without: string
    readonly objects: ReadonlyArray<object>
    readonly resource: string
    readonly names: ReadonlyArray<string>
    readonly why: string
  }> = [
    {
      without: "deployment",
      objects: [deploymentManifest({ name: "web", replicas: 1 })],
      resource: resources.replicaSets,
      names: [],
      why: "has no ReplicaSets"
    },
    {
      without: "replicaset-controller",
      objects: [deploymentManifest({ name: "web", replicas: 1 })],
      resource: resources.pods,
      names: [],
      why: "has ReplicaSets without Pods"
    },
    {
      without: "endpoint",
      objects: [service],
      resource: resources.endpoints,
      names: [],
      why: "has EndpointSlices alone"
    },
    {
      without: "endpointslice",
      objects: [service],
      resource: resources.endpoints,
      names: ["web"],
      why: "keeps Endpoints"
    },
    {
      without: "serviceaccount",
      objects: [],
      resource: resources.configMaps,
      names: ["kube-root-ca.crt"],
      why: "has the certificate in its namespaces"
    },
    {
      without: "root-ca-cert-publisher",
      objects: [],
      resource: resources.configMaps,
      names: [],
      why: "has no certificate in its namespaces"
    },
    {
      without: "ephemeral-volume",
      objects: [ephemeral],
      resource: resources.persistentVolumeClaims,
      names: [],
      why: "creates no claims for Pods"
    }
  ]
  for (const { without, objects, resource, names, why } of rows) {
    it(`${why}: -${without}`, async () => {
      await using cluster = await openSettled(["*", `-${without}`], objects)
      expect((await namesOf(cluster, resource)).filter((name) => name !== "kubernetes")).toEqual(names)
    })
  }

  it("leaves claims Pending without the binder", async () => {
    await using cluster = await openSettled(["*", "-persistentvolume-binder"], [claim, podWithClaim])
    const found = await cluster.get({ resource: resources.persistentVolumeClaims, name: "data" })
    expect(found?.status?.phase).toBe("Pending")
  })

  it("keeps a deleted claim without the controller that ends its protection", async () => {
    await using cluster = await openSettled(["*", "-pvc-protection"], [claim])
    await cluster.delete({ resource: resources.persistentVolumeClaims, name: "data" })
    await cluster.advance("1m")
    expect(await namesOf(cluster, resources.persistentVolumeClaims)).toEqual(["data"])
  })

  it("keeps a lost node Ready without the node's lifecycle", async () => {
    await using cluster = await openSettled(["*", "-nodelifecycle"])
    await cluster.fault({ fault: "nodeLost", node: "node-1" })
    await cluster.advance("10m")
    const node = await cluster.get({ resource: resources.nodes, name: "node-1" })
    expect(node?.status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True")
    expect(node?.spec.taints).toBeUndefined()
  })

  it("taints a lost node, but evicts no Pod, without taint eviction", async () => {
    const controllers = ["*", "-taint-eviction-controller"]
    await using cluster = await openSettled(controllers, [deploymentManifest({ name: "web", replicas: 3 })])
    await cluster.fault({ fault: "nodeLost", node: "node-1" })
    await cluster.advance("10m")
    const node = await cluster.get({ resource: resources.nodes, name: "node-1" })
    expect(node?.spec.taints?.map(({ effect }) => effect)).toEqual(["NoSchedule", "NoExecute"])
    expect((await namesOf(cluster, resources.pods)).length).toBe(3)
  })
})

describe("the work of a controller that does not run", () => {
  it("can be done by another program", async () => {
    const deployment = deploymentManifest({ name: "web", replicas: 1 })
    await using cluster = await openSettled(["*", "-deployment"], [deployment])
    const { template } = deployment.spec as {
      readonly template: { readonly metadata: { readonly labels: object } }
    }
    await cluster.create({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web-by-hand" },
      spec: { replicas: 1, selector: { matchLabels: template.metadata.labels }, template }
    } as ReturnType<typeof podManifest>)
    await cluster.settle()
    const replicaSet = await cluster.get({ resource: resources.replicaSets, name: "web-by-hand" })
    expect(replicaSet?.status.readyReplicas).toBe(1)
  })

  it("can be done by an older controller manager, which asks provisioners by the beta annotation", async () => {
    await using cluster = await openSettled(["*", "-persistentvolume-binder"], [claim])
    await cluster.patch(
      { resource: resources.persistentVolumeClaims, name: "data" },
      {
        metadata: {
          annotations: {
            "volume.beta.kubernetes.io/storage-provisioner": "rancher.io/local-path",
            "volume.kubernetes.io/selected-node": "node-1"
          }
        }
      }
    )
    await cluster.advance("1m")
    expect(
      (await cluster.list(resources.persistentVolumes)).items.map(({ spec }) => spec.claimRef?.name)
    ).toEqual(["data"])
  })

  it("is left alone in a fork, and taken up in a fork that enables it", async () => {
    const deployment = deploymentManifest({ name: "web", replicas: 1 })
    await using cluster = await openSettled(["*", "-deployment"], [deployment])
    await using same = await cluster.fork()
    await same.settle()
    expect(await namesOf(same, resources.replicaSets)).toEqual([])
    await using other = await cluster.fork({ controllers: ["*"] })
    await other.settle()
    expect((await other.rollout("web")).outcome).toBe("complete")
  })

  it("is not begun by a fault that stops and starts the controller", async () => {
    const deployment = deploymentManifest({ name: "web", replicas: 1 })
    await using cluster = await openSettled(["*", "-deployment"], [deployment])
    await cluster.fault({ fault: "controllerStopped", controller: "deployment", for: "1s" })
    await cluster.advance("5s")
    expect(await namesOf(cluster, resources.replicaSets)).toEqual([])
  })
})

describe("a list of controllers", () => {
  const rows: ReadonlyArray<{
    readonly list: ReadonlyArray<string>
    readonly runs: boolean
    readonly why: string
  }> = [
    { list: ["*"], runs: true, why: "* stands for all" },
    { list: ["*", "-job-controller"], runs: false, why: "a name with - disables" },
    { list: ["*", "-job"], runs: false, why: "an alias is the name" },
    { list: ["deployment"], runs: false, why: "without *, only those named run" },
    { list: ["job"], runs: true, why: "a name enables" },
    { list: ["job", "-job"], runs: true, why: "the first of two items about one controller holds" },
    { list: [], runs: false, why: "nothing is named" }
  ]
  for (const { list, runs, why } of rows) {
    it(`${JSON.stringify(list)}: ${why}`, () => {
      const job: ManagerController = "job-controller"
      expect(selectControllers(list).runs(job)).toBe(runs)
    })
  }

  const refusals: ReadonlyArray<{ readonly list: unknown; readonly says: string }> = [
    {
      list: ["*", "-jobs"],
      says: '"jobs" is not in the list of known controllers: did you mean "job"?'
    },
    { list: ["*", "scheduler"], says: '"scheduler" is not in the list of known controllers' },
    {
      list: ["*", "csrsigning"],
      says:
        'Charthouse does not have the controller "certificatesigningrequest-signing-controller": ' +
        "it can only be disabled"
    },
    { list: "*", says: 'controllers must be a list of names, not "*"' }
  ]
  for (const { list, says } of refusals) {
    it(`is refused: ${JSON.stringify(list)}`, async () => {
      await expect(openCluster({ controllers: list as ReadonlyArray<string> })).rejects.toThrow(says)
    })
  }
})
