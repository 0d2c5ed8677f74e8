import type { KubeObject } from "charthouse"

/** A website: one page, served by nginx, checked every hour. */
export interface Website extends KubeObject {
  readonly apiVersion: "example.com/v1"
  readonly kind: "Website"
  readonly spec: WebsiteSpec
  readonly status?: WebsiteStatus
}

export interface WebsiteSpec {
  readonly html: string
  readonly replicas?: number
}

export interface WebsiteStatus {
  readonly observedGeneration?: number
  readonly readyReplicas?: number
  /** When it was last checked, RFC 3339. */
  readonly checkedAt?: string
}

export const websites = "websites.example.com"

/** The finalizer keeps a deleted Website until its address is given back. */
export const addressFinalizer = "example.com/address"

// With this, `cluster.get({ resource: "websites.example.com", ... })` returns a Website.
declare module "charthouse" {
  interface ResourceTypes {
    readonly [websites]: Website
  }
}

export const websiteDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: websites },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "websites", singular: "website", kind: "Website", shortNames: ["web"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["html"],
                properties: {
                  html: { type: "string" },
                  replicas: { type: "integer", minimum: 0, default: 1 }
                }
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
            }
          }
        }
      }
    ]
  }
} as const
