import { describe, expect, it } from "vitest"
import { discoveryDocument } from "../../../src/server/discovery/discoveryDocument.ts"
import { compareKubeVersions } from "../../../src/server/discovery/discoveredGroups.ts"
import { servedKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { customKind, inVersion } from "./customKinds.ts"

const serverAddress = "127.0.0.1:8001"

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

const ask = (path: string, { accept = "application/json", kinds = servedKinds } = {}) =>
  discoveryDocument(path, { accept, kinds, serverAddress })

interface Verbs {
  readonly verbs: ReadonlyArray<string>
}

interface ListedResource extends Verbs {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly singularName: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
  readonly group?: string
  readonly version?: string
}

interface ClassicDocument {
  readonly groups: ReadonlyArray<{
    readonly name: string
    readonly versions: ReadonlyArray<{ readonly groupVersion: string }>
    readonly preferredVersion: { readonly version: string }
  }>
  readonly resources: ReadonlyArray<ListedResource>
}

interface Response {
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string }
}

interface AggregatedDocument {
  readonly apiVersion: string
  readonly items: ReadonlyArray<{
    readonly metadata: { readonly name?: string }
    readonly versions: ReadonlyArray<{
      readonly version: string
      readonly resources: ReadonlyArray<
        Verbs &
          Response & {
            readonly resource: string
            readonly scope: string
            readonly singularResource: string
            readonly shortNames?: ReadonlyArray<string>
            readonly categories?: ReadonlyArray<string>
            readonly subresources?: ReadonlyArray<Verbs & Response & { readonly subresource: string }>
          }
      >
    }>
  }>
}

type DiscoveryOptions = Parameters<typeof ask>[1]
const classicDocument = (path: string, options?: DiscoveryOptions): ClassicDocument =>
  JSON.parse(String(ask(path, options)?.body))
const aggregatedDocument = (path: string, options: DiscoveryOptions = {}): AggregatedDocument =>
  JSON.parse(String(ask(path, { accept: aggregated("v2"), ...options })?.body))

describe("the format of discovery follows the Accept header", () => {
  const json = "application/json"
  const newest = `${aggregated("v2")},${aggregated("v2beta1")},${json}`
  it.each([
    { accept: newest, form: aggregated("v2"), why: "kubectl 1.30 and later" },
    { accept: `${aggregated("v2beta1")},${json}`, form: aggregated("v2beta1"), why: "kubectl 1.26 to 1.29" },
    {
      accept: `application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,${json}`,
      form: aggregated("v2"),
      why: "parameters in another order"
    },
    { accept: `application/json, */*`, form: json, why: "kubectl before 1.26" },
    { accept: "*/*", form: json, why: "curl" },
    {
      accept: `application/vnd.kubernetes.protobuf,${json}`,
      form: json,
      why: "protobuf, which is not offered"
    },
    {
      accept: `application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,${json}`,
      form: json,
      why: "a future version of the format"
    }
  ])("$form: $why", ({ accept, form }) => {
    for (const root of ["/api", "/apis"]) expect(ask(root, { accept })?.contentType).toBe(form)
  })

  it("is refused with 406 when no format is acceptable", () => {
    for (const path of ["/api", "/apis", "/apis/apps", "/apis/apps/v1"]) {
      expect(() => ask(path, { accept: "text/html" })).toThrow("only the following media types are accepted")
    }
  })

  it("names its version in apiVersion", () => {
    for (const version of ["v2", "v2beta1"]) {
      const { apiVersion } = aggregatedDocument("/apis", { accept: aggregated(version) })
      expect(apiVersion).toBe(`apidiscovery.k8s.io/${version}`)
    }
  })
})

describe("classic discovery", () => {
  it("gives the core group's versions and the server's address", () => {
    expect(classicDocument("/api")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }]
    })
  })

  it("lists apps first, never the core group, and prefers autoscaling/v2", () => {
    const { groups } = classicDocument("/apis")
    expect(groups[0]?.name).toBe("apps")
    expect(groups.map(({ name }) => name)).not.toContain("")
    expect(groups.find(({ name }) => name === "autoscaling")).toEqual({
      name: "autoscaling",
      versions: [
        { groupVersion: "autoscaling/v2", version: "v2" },
        { groupVersion: "autoscaling/v1", version: "v1" }
      ],
      preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" }
    })
  })

  it("describes a group alone as in the list of groups", () => {
    const { groups } = classicDocument("/apis")
    for (const group of groups) {
      expect(classicDocument(`/apis/${group.name}`)).toEqual({ kind: "APIGroup", apiVersion: "v1", ...group })
    }
  })

  it("lists the resources of a version by name, with their subresources", () => {
    expect(classicDocument("/apis/apps/v1").resources.map(({ name }) => name)).toEqual([
      "controllerrevisions",
      "daemonsets",
      "daemonsets/status",
      "deployments",
      "deployments/scale",
      "deployments/status",
      "replicasets",
      "replicasets/scale",
      "replicasets/status",
      "statefulsets",
      "statefulsets/scale",
      "statefulsets/status"
    ])
  })

  it.each([
    {
      path: "/apis/apps/v1",
      why: "all fields; the hash equals kube-apiserver's",
      resource: {
        name: "deployments",
        singularName: "deployment",
        namespaced: true,
        kind: "Deployment",
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        shortNames: ["deploy"],
        categories: ["all"],
        storageVersionHash: "8aSe+NMegvE="
      }
    },
    {
      path: "/apis/apps/v1",
      why: "a subresource has the group of its own body",
      resource: {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"]
      }
    },
    {
      path: "/api/v1",
      why: "a resource that is only created",
      resource: {
        name: "bindings",
        singularName: "binding",
        namespaced: true,
        kind: "Binding",
        verbs: ["create"]
      }
    },
    {
      path: "/api/v1",
      why: "a subresource that is only read",
      resource: { name: "pods/log", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] }
    }
  ])("$resource.name: $why", ({ path, resource }) => {
    expect(classicDocument(path).resources.find(({ name }) => name === resource.name)).toEqual(resource)
  })

  it("gives events.k8s.io the storageVersionHash of core events", () => {
    const hashes = ["/api/v1", "/apis/events.k8s.io/v1"].map((path) => {
      const events: object | undefined = classicDocument(path).resources.find(({ name }) => name === "events")
      return events && "storageVersionHash" in events && events.storageVersionHash
    })
    expect(hashes[0]).toEqual(expect.any(String))
    expect(hashes[1]).toBe(hashes[0])
  })

  it.each([
    "/",
    "/version",
    "/api/v2",
    "/apis/unknown.example.com",
    "/apis/apps/v2",
    "/apis/apps/v1/deployments",
    "/api/v1/pods"
  ])("has no document at %s", (path) => {
    expect(ask(path)).toBeUndefined()
  })
})

/** A line for each resource and subresource, for comparing the two formats. */
const linesOfClassic = (kinds: typeof servedKinds): ReadonlyArray<string> => {
  const versions = classicDocument("/apis", { kinds }).groups.flatMap((group) => group.versions)
  const paths = ["/api/v1", ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`)]
  return paths.flatMap((path) =>
    classicDocument(path, { kinds }).resources.map((it) => {
      const [, , group = "", version = ""] = path === "/api/v1" ? ["", "", "", "v1"] : path.split("/")
      const body = `${it.group ?? group}/${it.version ?? version}/${it.kind}`
      return [
        path,
        it.name,
        it.singularName,
        it.namespaced,
        body,
        it.verbs,
        it.shortNames,
        it.categories
      ].join(" ")
    })
  )
}

const linesOfAggregated = (kinds: typeof servedKinds): ReadonlyArray<string> =>
  [...aggregatedDocument("/api", { kinds }).items, ...aggregatedDocument("/apis", { kinds }).items].flatMap(
    ({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.flatMap((it) => {
          const path = metadata.name === undefined ? `/api/${version}` : `/apis/${metadata.name}/${version}`
          const isNamespaced = it.scope === "Namespaced"
          const bodyOf = ({ responseKind }: Response): string => Object.values(responseKind).join("/")
          const own = [it.resource, it.singularResource, isNamespaced, bodyOf(it), it.verbs, it.shortNames]
          return [
            [path, ...own, it.categories].join(" "),
            ...(it.subresources ?? []).map((sub) => {
              const name = `${it.resource}/${sub.subresource}`
              return [path, name, "", isNamespaced, bodyOf(sub), sub.verbs, undefined, undefined].join(" ")
            })
          ]
        })
      )
  )

describe("aggregated and classic discovery", () => {
  it("describe the same resources", () => {
    const kinds = [...servedKinds, customKind]
    expect(linesOfAggregated(kinds)).toEqual(linesOfClassic(kinds))
  })
})

describe("custom kinds in discovery", () => {
  const kinds = [...servedKinds, inVersion(customKind, "v1beta3"), customKind]

  it("are listed in each of their versions, with the stable one preferred", () => {
    const group = classicDocument("/apis", { kinds }).groups.find(({ name }) => name === "stable.example.com")
    expect(group?.preferredVersion.version).toBe("v1")
    expect(classicDocument("/apis/stable.example.com/v1beta3", { kinds }).resources[0]?.name).toBe("crontabs")
  })

  it("change the ETag of /apis and not of /api", () => {
    const tags = (path: string, accept: string) => [
      ask(path, { accept })?.etag,
      ask(path, { accept, kinds })?.etag
    ]
    for (const accept of ["application/json", aggregated("v2")]) {
      expect(new Set(tags("/apis", accept)).size).toBe(2)
      expect(new Set(tags("/api", accept)).size).toBe(1)
    }
  })

  it("keep the ETag when equal kinds come in a new array", () => {
    const again = ask("/apis", { accept: aggregated("v2"), kinds: [...kinds] })
    expect(again?.etag).toBe(ask("/apis", { accept: aggregated("v2"), kinds })?.etag)
    expect(again?.etag).toMatch(/^"[0-9A-F]{64}"$/)
  })
})

describe("compareVersions", () => {
  it("sorts stable before beta before alpha, higher before lower, other names last", () => {
    const sorted = [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10"
    ]
    expect(sorted.toReversed().toSorted(compareKubeVersions)).toEqual(sorted)
  })
})
