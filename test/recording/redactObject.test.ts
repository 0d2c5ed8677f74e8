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
    { why: "no annotations", metadata: {}, kept: {} },
    { why: "empty annotations", metadata: { annotations: {} }, kept: { annotations: {} } },
    {
      why: "all annotations except the last applied configuration",
      metadata: { annotations: { team: "shop", [lastApplied]: "{}" } },
      kept: { annotations: { team: "shop" } }
    }
  ])("keeps $why", ({ metadata, kept }) => {
    expect(redactObject(aPod(metadata)).metadata).toEqual({ name: "web", uid: "a", ...kept })
  })

  it.each([
    { why: "text", container: "app" },
    { why: "null", container: null }
  ])("keeps a container that is $why unchanged", ({ container }) => {
    const pod = aPod({}, { containers: [container] })
    expect(redactObject(pod)).toEqual(pod)
  })
})
