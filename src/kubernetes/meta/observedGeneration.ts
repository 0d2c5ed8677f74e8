export interface ObservableObject {
  readonly metadata: { readonly generation?: number | undefined }
  readonly status: { readonly observedGeneration?: number | undefined }
}

/** Whether the controller has written the status after it had seen the latest spec. */
export const isGenerationObserved = ({ metadata, status }: ObservableObject): boolean =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
