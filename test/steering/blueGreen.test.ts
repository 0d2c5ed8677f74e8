import { describe, expect, it } from "vitest"
import {
  address,
  annotate,
  approvedPods,
  imageOf,
  openSteeredShop,
  setImage,
  steeredText,
  steeringEvents,
  withoutHashes
} from "./steeredShop.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const wholeSurge = {
  isGated: true,
  spec: { strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } }
}

const withPreview = "blueGreen: { preview: web-preview, before: [{ hold: untilPromoted }] }"

const createPreview = (cluster: OpenCluster, spec: object = { publishNotReadyAddresses: true }) =>
  cluster.create({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web-preview" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec }
  })

/** The images of the Pods that a Service's endpoints reach. */
const reached = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const { items: slices } = await cluster.list("endpointslices.discovery.k8s.io")
  const { items: pods } = await cluster.list("pods")
  const names = slices.flatMap(({ endpoints }) =>
    (endpoints as ReadonlyArray<{ readonly targetRef?: { readonly name?: string } }>).map(
      ({ targetRef }) => targetRef?.name
    )
  )
  return pods
    .filter(({ metadata }) => names.includes(metadata.name))
    .map(({ spec }) => spec.containers[0]?.image ?? "")
}

describe("blueGreen", () => {
  it("starts the whole new revision without a request for it, and approves it at once when promoted", async () => {
    await using cluster = await openSteeredShop(withPreview, wholeSurge)
    await createPreview(cluster)
    await cluster.settle()
    expect(await reached(cluster)).toEqual(["web:1", "web:1", "web:1", "web:1"])
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    expect((await cluster.get(address)).status).toMatchObject({ availableReplicas: 4, replicas: 8 })
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect(await reached(cluster)).toEqual(["web:2", "web:2", "web:2", "web:2"])
    expect(await steeredText(cluster)).toContain("Holding: revision 2 (web) is at step 2 of 3: holds")
    await annotate(cluster, { promote: "" })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
    expect(await steeredText(cluster)).toBe("True Complete: revision 2 (web) is complete")
  })

  it("lets both revisions serve for minReadySeconds", async () => {
    await using cluster = await openSteeredShop("blueGreen: {}", {
      ...wholeSurge,
      spec: { ...wholeSurge.spec, minReadySeconds: 30 }
    })
    await cluster.advance("1m")
    await setImage(cluster, "web:2")
    await cluster.advance("15s")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4, "web:2": 4 })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it.each([
    { service: undefined, says: 'there is no Service "web-preview". Create it' },
    { service: {}, says: "Set its spec.publishNotReadyAddresses to true" },
    {
      service: { selector: { app: "shop" }, publishNotReadyAddresses: true },
      says: 'Service "web-preview" selects Pods with the label app=shop, which the Pod template does not have'
    }
  ])("waits for a preview that reaches the new Pods: $says", async ({ service, says }) => {
    await using cluster = await openSteeredShop(withPreview, wholeSurge)
    if (service !== undefined) await createPreview(cluster, service)
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toMatch(/^False PreviewMissing: /u)
    expect(await steeredText(cluster)).toContain(says)
    expect(await steeringEvents(cluster)).toEqual([
      expect.stringMatching(
        /^Warning PreviewMissing: revision 2 \(web\) is at step 1 of 3: starts all its Pods/u
      )
    ])
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    if (service === undefined) await createPreview(cluster)
    else {
      await cluster.patch(
        { resource: "services", name: "web-preview" },
        { spec: { selector: { app: "web" }, publishNotReadyAddresses: true } }
      )
    }
    await cluster.advance("1s")
    expect(await steeredText(cluster)).toContain("True Holding:")
  })

  it("does not begin a hold while its preview is missing, and is taken back at the deadline", async () => {
    await using cluster = await openSteeredShop(withPreview.replace("untilPromoted", "1m"), wholeSurge)
    await setImage(cluster, "web:2")
    await cluster.advance("9m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    await cluster.advance("2m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect(await steeredText(cluster)).toMatch(
      /^False RolledBack: .* no progress within 600 seconds \(progressDeadlineSeconds\): there is no Service "web-preview"/u
    )
  })

  it("does not end a hold whose preview was deleted", async () => {
    await using cluster = await openSteeredShop(withPreview.replace("untilPromoted", "5m"), wholeSurge)
    await createPreview(cluster)
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await cluster.delete({ resource: "services", name: "web-preview" })
    await cluster.advance("30m")
    expect(await steeredText(cluster)).toContain(
      "False PreviewMissing: revision 2 (web) is at step 2 of 3: holds"
    )
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
  })

  it("is taken back before its first request", async () => {
    await using cluster = await openSteeredShop(withPreview, wholeSurge)
    await createPreview(cluster)
    const before = (await cluster.list("pods")).items.map(({ metadata }) => metadata.uid).sort()
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await annotate(cluster, { abort: "looks wrong" })
    await cluster.advance("1m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect((await cluster.list("pods")).items.map(({ metadata }) => metadata.uid).sort()).toEqual(before)
    expect(await reached(cluster)).toEqual(["web:1", "web:1", "web:1", "web:1"])
    expect(withoutHashes((await steeringEvents(cluster)).at(-1) ?? "")).toContain("looks wrong")
  })

  it("touches nothing where only some of its Pods could start", async () => {
    await using cluster = await openSteeredShop("blueGreen: {}", {
      isGated: true,
      spec: { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
    })
    expect(await steeredText(cluster)).toContain(
      "maxSurge must be 100% and is 2: only 2 of 4 Pods of the new revision could start beside the old ones"
    )
  })
})
