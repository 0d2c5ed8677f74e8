import { describe, expect, it } from "vitest"
import { redactObject } from "../../src/recording/redactObject.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

const aPod = (metadata: object, spec: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", uid: "a", ...metadata },
    spec
  }) as unknown as KubeObject

describe("an object in a recording", () => {
  it.each([
    { why: "none", given: {}, left: {} },
    { why: "an empty list of them", given: { annotations: {} }, left: { annotations: {} } },
    {
      why: "all but the manifest",
      given: { annotations: { team: "shop", [lastApplied]: "{}" } },
      left: { annotations: { team: "shop" } }
    }
  ])("has its annotations: $why", ({ given, left }) => {
    expect(redactObject(aPod(given)).metadata).toEqual({ name: "web", uid: "a", ...left })
  })

  it.each([
    { why: "a text", container: "app" },
    { why: "nothing", container: null }
  ])("has what is no container as it is: $why", ({ container }) => {
    const pod = aPod({}, { containers: [container] })
    expect(redactObject(pod)).toEqual(pod)
  })
})
