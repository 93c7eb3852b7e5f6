"""Routes in a road network, corrected by via-points and detours."""
