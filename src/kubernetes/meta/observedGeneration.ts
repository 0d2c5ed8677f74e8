export interface ObservableObject {
  readonly metadata: { readonly generation?: number | undefined }
  readonly status: { readonly observedGeneration?: number | undefined }
}

export const isGenerationObserved = ({ metadata, status }: ObservableObject): boolean =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
