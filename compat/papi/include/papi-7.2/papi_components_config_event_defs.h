/* PAPI 7.2 lists the presets of components here, one file a build. No component of ours has any. */
